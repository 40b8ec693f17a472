import * as vscode from 'vscode';
import { type Review, type ReviewFile, isOpen } from './data';
import { type Reviews, ownOf, ownText } from './review';
import type { Server } from './server';

/** The scheme of the texts that Refactor Preview changes: copies of the user's own, so that the server alone changes those. */
const previewScheme = 'caselsp-preview';

/** A change that is offered, and where it is in its copy. */
interface Offered {
  file: ReviewFile;
  /** The number of the hunk; 0: the whole file. */
  hunk: number;
  range: vscode.Range;
}

/**
 * Shows a result in Refactor Preview, when the user asks for it: it takes the keyboard. What is chosen there is accepted by the
 * server, in the user's own files as they are then; the rest stays undecided.
 */
export class Previews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly subscriptions: vscode.Disposable[];
  private last = 0;
  /** What is shown: of which task, and what of it was undecided then. */
  private shown: { task: string; open: string } | undefined;

  constructor(
    private readonly server: Server,
    private readonly reviews: Reviews,
  ) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(previewScheme, this),
      reviews.onReviews(() => this.closeDecided()),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    for (const s of this.subscriptions) {
      s.dispose();
    }
  }

  /** Shows the open changes of a result, each with a check box, and accepts what is chosen. */
  async show(task: string): Promise<void> {
    const review = await this.reviews.load(task);
    const number = ++this.last;
    const edit = new vscode.WorkspaceEdit();
    const offered = new Map<string, Offered[]>();
    for (const file of review?.files ?? []) {
      const uri = vscode.Uri.from({ scheme: previewScheme, path: '/' + file.path, query: String(number) });
      const list = await this.offer(file, uri, review?.title ?? '', edit);
      if (list.length > 0) {
        offered.set(uri.toString(), list);
      }
    }
    if (review === undefined || offered.size === 0) {
      void vscode.window.showInformationMessage('CASE: this result has no change that Refactor Preview could show. "CASE: Review a result…" shows it.');
      return;
    }
    const chosen = await this.choose(review, edit, offered);
    this.texts.clear();
    await this.accept(task, chosen);
  }

  /** Puts the open changes of a file into an edit of its copy. */
  private async offer(file: ReviewFile, uri: vscode.Uri, title: string, edit: vscode.WorkspaceEdit): Promise<Offered[]> {
    const open = file.hunks.filter((h) => h.state === 'pending');
    if (open.length === 0 || file.binary || file.kept !== undefined || file.kind === 'renamed' || (file.whole && file.kind === 'changed')) {
      return [];
    }
    const text = file.kind === 'created' ? '' : await ownText(ownOf(file), file);
    this.texts.set(uri.toString(), text);
    const document = await vscode.workspace.openTextDocument(uri);
    const label = file.obeyed.by === '' ? `CASE: ${title}` : `${file.path}, obeyed by ${file.obeyed.by}`;
    const list: Offered[] = [];
    for (const h of open) {
      const at = h.range === null || file.whole ? undefined : new vscode.Range(h.range.start.line, h.range.start.character, h.range.end.line, h.range.end.character);
      const range = document.validateRange(at ?? new vscode.Range(0, 0, document.lineCount, 0));
      const becomes = file.kind === 'deleted' ? '' : h.new.join('');
      if (range.isEmpty && becomes === '') {
        continue;
      }
      edit.replace(uri, range, becomes, { needsConfirmation: true, label });
      list.push({ file, hunk: h.hunk, range });
    }
    return list;
  }

  /** What the user chooses: what changes in the copies. */
  private async choose(review: Review, edit: vscode.WorkspaceEdit, offered: Map<string, Offered[]>): Promise<Offered[]> {
    const chosen = new Set<Offered>();
    const subscription = vscode.workspace.onDidChangeTextDocument((e) => {
      for (const one of offered.get(e.document.uri.toString()) ?? []) {
        if (e.contentChanges.some((c) => one.range.contains(c.range))) {
          chosen.add(one);
        }
      }
    });
    const shown = { task: review.task, open: openOf(review) };
    this.shown = shown;
    try {
      await vscode.workspace.applyEdit(edit);
    } finally {
      subscription.dispose();
      if (this.shown === shown) {
        this.shown = undefined;
      }
    }
    return [...chosen];
  }

  /** Has the server accept what was chosen, a file at once where all of it was. */
  private async accept(task: string, chosen: Offered[]): Promise<void> {
    for (const file of new Set(chosen.map((c) => c.file))) {
      const hunks = chosen.filter((c) => c.file === file).map((c) => c.hunk);
      const all = hunks.length === file.hunks.length;
      for (const hunk of all ? [0] : hunks) {
        await this.server.execute('caselsp.accept', { task, file: file.path, ...(hunk === 0 ? {} : { hunk }) });
      }
    }
  }

  /** Closes the preview of what is decided otherwise meanwhile. */
  private closeDecided(): void {
    const shown = this.shown;
    if (shown !== undefined && openOf(this.reviews.get(shown.task)) !== shown.open) {
      this.shown = undefined;
      void vscode.commands.executeCommand('refactorPreview.discard');
    }
  }
}

/** What of a result is undecided. */
function openOf(review: Review | undefined): string {
  return (review?.files ?? []).flatMap((f) => f.hunks.filter(isOpen).map((h) => h.id)).join('\n');
}
