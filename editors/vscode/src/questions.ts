import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Board } from './board';
import { type Choice, type Question, counted } from './data';
import { named } from './notify';
import { type Server, text } from './server';

/** What the page sends. */
interface Decision {
  type: 'decide';
  task: string;
  question: string;
  /** Which of the question's choices. */
  choice: number;
  /** What the user wrote: an answer, or why something is denied. */
  text?: string;
  /** What they wrote is no secret, though it looks like one. */
  sure?: boolean;
}

type FromPage = Decision | { type: 'ready' } | { type: 'later'; task: string; question: string };

/**
 * The view of open questions. It never takes the keyboard: who wants to decide goes there. What a question is about stands
 * whole, as text; "Decide later" comes first; what allows something is not offered before the question can have been read.
 */
export class QuestionView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly board: Board,
  ) {
    this.subscriptions = [
      vscode.window.registerWebviewViewProvider('caselsp-vscode.questions', this, { webviewOptions: { retainContextWhenHidden: true } }),
      board.onChanged(() => this.show()),
    ];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const media = vscode.Uri.joinPath(this.context.extensionUri, 'media');
    view.webview.options = { enableScripts: true, localResourceRoots: [media] };
    view.webview.onDidReceiveMessage((m: FromPage) => void this.heard(m));
    view.onDidDispose(() => (this.view = undefined));
    view.onDidChangeVisibility(() => this.show());
    view.webview.html = page(view.webview, media);
    this.show();
  }

  /** Brings the view to the front. The keyboard stays where it is unless the user asked for it. */
  async reveal(takeFocus: boolean): Promise<void> {
    if (this.view !== undefined && !takeFocus) {
      this.view.show(true);
    } else if (takeFocus) {
      await vscode.commands.executeCommand('caselsp-vscode.questions.focus');
    }
  }

  dispose(): void {
    for (const s of this.subscriptions) {
      s.dispose();
    }
  }

  private show(): void {
    if (this.view === undefined) {
      return;
    }
    const n = this.board.questions.length;
    this.view.badge = { value: n, tooltip: n === 0 ? '' : counted(n, 'open question') }; // undefined would leave the last number
    const questions = this.board.questions.map((q) => ({ ...shown(q), title: this.board.task(q.task)?.title ?? '' }));
    void this.view.webview.postMessage({ type: 'questions', questions, trusted: vscode.workspace.isTrusted });
  }

  private async heard(message: FromPage): Promise<void> {
    if (message.type === 'ready') {
      this.show();
      return;
    }
    if (message.type === 'later') {
      void vscode.window.setStatusBarMessage('CASE waits with its question. The status bar shows it.', 5000);
      return;
    }
    const question = this.board.questions.find((q) => q.task === message.task && q.id === message.question);
    const choice = question?.choices[message.choice];
    let problem = '';
    if (question === undefined || choice === undefined) {
      problem = 'That question is not open any more: nothing was changed.';
    } else {
      try {
        await this.server.execute(choice.command, argumentsOf(choice, message));
      } catch (err) {
        problem = named(text(err)).text;
      }
    }
    void this.view?.webview.postMessage({ type: 'decided', task: message.task, question: message.question, problem });
    this.board.refresh();
  }
}

/** A question as the page gets it: it needs no commands. */
function shown(q: Question): object {
  return { ...q, choices: q.choices.map(({ title, allows, opens, command }) => ({ title, allows, opens, deny: command === 'caselsp.deny' })) };
}

/** The arguments of a choice, with what the user wrote in the place of a document for it. */
function argumentsOf(choice: Choice, decision: Decision): unknown {
  const first: unknown = Array.isArray(choice.arguments) ? choice.arguments[0] : choice.arguments;
  const all = { ...(first as { why?: boolean; write?: boolean } | undefined) };
  if (!choice.opens) {
    return all;
  }
  const { why: _why, write: _write, ...given } = all;
  const written = decision.text?.trim() ?? '';
  if (choice.command === 'caselsp.deny') {
    return written === '' ? given : { ...given, reason: written };
  }
  return { ...given, text: written, ...(decision.sure === true ? { sure: true } : {}) };
}

function page(webview: vscode.Webview, media: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<link rel="stylesheet" href="${file('questions.css')}">
<title>Questions</title>
</head>
<body>
<main id="list" aria-live="polite"></main>
<script nonce="${nonce}" src="${file('questions.js')}"></script>
</body>
</html>`;
}
