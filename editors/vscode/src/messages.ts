import * as vscode from 'vscode';
import { type CancellationToken, type MessageActionItem, type ShowDocumentParams, type ShowMessageParams, type ShowMessageRequestParams } from 'vscode-languageclient/node';
import type { Board } from './board';
import { type Question, isOpen } from './data';
import { named, notify, plain } from './notify';
import type { Reviews } from './review';
import { own } from './settings';

/** The review document of the server, which it opens unasked when a result is there. */
const reviewDocument = /\/review-([^/]+)\.diff$/;

/** The document in which the server shows what is edited, with the setting editor.follow. */
const followingDocument = /\/following-[^/]+\.diff$/;

/** The command behind the choices of a message; nobody else calls it. */
const chooseCommand = 'caselsp-vscode.choose';

/** Shows what the server says, asks and opens, in the ways of VS Code. */
export class Messages implements vscode.Disposable {
  /** What takes the choice of each message that is open, by its number. */
  private readonly choices = new Map<number, (choice: number) => void>();
  private last = 0;
  private readonly command: vscode.Disposable;

  constructor(
    private readonly board: Board,
    private readonly reviews: Reviews,
  ) {
    this.command = vscode.commands.registerCommand(chooseCommand, (message: number, choice: number) => this.choices.get(message)?.(choice));
  }

  dispose(): void {
    this.command.dispose();
  }

  /** A message that needs no answer. */
  show(params: ShowMessageParams): void {
    notify(params.type, params.message);
  }

  /**
   * A message with choices. A question of a task is shown until it is decided, however that happens; its choices are in the
   * view of questions, so that none is left on the screen that is out of date.
   */
  async ask(params: ShowMessageRequestParams, token: CancellationToken): Promise<MessageActionItem | null> {
    const question = await this.questionOf(params.message);
    if (question === undefined) {
      return this.choose(named(params.message).text, params.actions ?? [], token);
    }
    const decided = this.decided(question);
    if (own('vscode.questions', 'notification') === 'notification') {
      // The link first: what is longer than a line is cut off. A button would end the notification, and its answer with it.
      const title = `[Show the question](command:caselsp-vscode.questions) ${plain(question.text)}`;
      void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () => decided);
    }
    await decided;
    return null;
  }

  /**
   * Shows a message until one of its choices is clicked, or the server takes it back. The choices are links, and come first: a
   * notification with buttons can be closed by nobody but the user, and what is longer than a line is cut off.
   */
  private choose(text: string, actions: MessageActionItem[], token: CancellationToken): Promise<MessageActionItem | null> {
    const number = ++this.last;
    const links = actions.map((a, i) => {
      const title = a.title.replace(/[[\]]/g, '');
      return `[${title}](command:${chooseCommand}?${encodeURIComponent(JSON.stringify([number, i]))})`;
    });
    const chosen = new Promise<MessageActionItem | null>((resolve) => {
      this.choices.set(number, (choice) => resolve(actions[choice] ?? null));
      token.onCancellationRequested(() => resolve(null));
    }).finally(() => this.choices.delete(number));
    const title = `${links.join(' · ')} — ${plain(text)}`;
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () => chosen);
    return chosen;
  }

  /**
   * A document. In the place of the review document, which comes unasked, the diff editor shows the first open change; it
   * does not take the keyboard either.
   */
  async open(params: ShowDocumentParams, next: () => Promise<{ success: boolean }>): Promise<{ success: boolean }> {
    if (params.takeFocus !== true && followingDocument.test(params.uri)) {
      await this.follow(params);
      return { success: true };
    }
    const task = params.takeFocus === true ? undefined : reviewDocument.exec(params.uri)?.[1];
    const review = task === undefined ? undefined : await this.reviews.load(task);
    const file = review?.files.find((f) => !f.binary && f.hunks.some(isOpen));
    if (review === undefined || file === undefined) {
      return next();
    }
    await this.reviews.showDiff(review.task, file, undefined, true);
    return { success: true };
  }

  /**
   * What is edited, in the column where it is shown already, else beside the text: in the column of the text it would take its
   * place, and the keys that are being typed.
   */
  private async follow(params: ShowDocumentParams): Promise<void> {
    const uri = vscode.Uri.parse(params.uri);
    const shown = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === uri.toString());
    const at = params.selection;
    await vscode.window.showTextDocument(uri, {
      viewColumn: shown?.viewColumn ?? vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: true,
      ...(at === undefined ? {} : { selection: new vscode.Range(at.start.line, at.start.character, at.end.line, at.end.character) }),
    });
  }

  /** Reports whether lenses of the extension decide about hunks in a document. */
  decides(document: vscode.Uri): boolean {
    return this.reviews.pendingIn(document).length > 0;
  }

  private async questionOf(message: string): Promise<Question | undefined> {
    await this.board.read();
    return this.board.questions.find((q) => q.text === message);
  }

  /** Ends when a question is not open any more. */
  private decided(question: Question): Promise<void> {
    const gone = () => !this.board.questions.some((q) => q.task === question.task && q.id === question.id);
    return new Promise((resolve) => {
      if (gone()) {
        resolve();
        return;
      }
      const subscription = this.board.onChanged(() => {
        if (gone()) {
          subscription.dispose();
          resolve();
        }
      });
    });
  }
}
