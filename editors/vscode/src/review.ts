import * as vscode from 'vscode';
import type { Board } from './board';
import { type Hunk, type Review, type ReviewFile, isOpen, readable } from './data';
import { type Server, text } from './server';

/** The scheme of texts as they will be: the user's own with all that is still open. */
export const mergedScheme = 'caselsp-merged';
/** The scheme of what is not there: the other side of a file that is created. */
const emptyScheme = 'caselsp-empty';

/** After the user typed in a file under review, how long to wait before its hunks are looked up again, in milliseconds. */
const typingPause = 600;

/** An open hunk with where it is. */
export interface Pending {
  task: string;
  file: ReviewFile;
  hunk: Hunk;
  /** The line in the user's file, from 0. */
  line: number;
  /** The line in the merged text, from 0. */
  mergedLine: number;
}

/** The results that wait for a decision, and their texts for the diff editor. */
export class Reviews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly byTask = new Map<string, Review>();
  private readonly contents = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.contents.event;
  private readonly emitter = new vscode.EventEmitter<void>();
  /** A result is different now. */
  readonly onReviews = this.emitter.event;
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly board: Board,
  ) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(mergedScheme, this),
      vscode.workspace.registerTextDocumentContentProvider(emptyScheme, { provideTextDocumentContent: () => '' }),
      board.onChanged(() => void this.refresh()),
      vscode.workspace.onDidChangeTextDocument((e) => this.typed(e.document)),
    ];
  }

  /** The results that wait, in no order. */
  get all(): Review[] {
    return [...this.byTask.values()];
  }

  get(task: string): Review | undefined {
    return this.byTask.get(task);
  }

  /** All open hunks of a file of the user's, or of its merged text, from the top. */
  pendingIn(document: vscode.Uri): Pending[] {
    const merged = mergedOf(document);
    return this.pending().filter((p) =>
      merged === undefined ? sameFile(ownOf(p.file), document) : p.task === merged.task && p.file.path === merged.file,
    );
  }

  /** All open hunks of all results, in the order in which they are read. */
  pending(task?: string): Pending[] {
    return this.all.filter((r) => task === undefined || r.task === task).flatMap((r) => r.files.flatMap((f) => pendingOf(r.task, f)));
  }

  /** Reads the results again; the merged texts that are shown follow. */
  async refresh(): Promise<void> {
    const before = JSON.stringify(this.all);
    // The result that waits, and work that lies still or is kept.
    const wanted = this.board.tasks.filter((t) => t.state === 'review' || t.kept.length > 0 || this.byTask.has(t.id));
    const seen = new Set<string>();
    for (const t of wanted) {
      const review = await this.load(t.id);
      if (review?.files.some((f) => f.hunks.some(isOpen)) === true) {
        this.byTask.set(t.id, review);
        seen.add(t.id);
      }
    }
    for (const id of [...this.byTask.keys()].filter((id) => !seen.has(id))) {
      this.byTask.delete(id);
    }
    if (JSON.stringify(this.all) === before) {
      return;
    }
    for (const doc of vscode.workspace.textDocuments) {
      if (doc.uri.scheme === mergedScheme) {
        this.contents.fire(doc.uri);
      }
    }
    this.emitter.fire();
    await this.closeDecided();
  }

  /** Asks for a result, with its texts where one file is named. */
  async load(task: string, file?: string): Promise<Review | undefined> {
    try {
      const answer = await this.server.execute('caselsp.review', {
        task,
        format: 'data',
        ...(file === undefined ? {} : { file, texts: true }),
      });
      return readable(answer) ? (answer as Review) : undefined;
    } catch (err) {
      this.server.output.warn(`the result of ${task} cannot be read: ${text(err)}`);
      return undefined;
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const of = mergedOf(uri);
    if (of === undefined) {
      return '';
    }
    const file = (await this.load(of.task, of.file))?.files.find((f) => (f.kept ?? '') === of.kept);
    return file?.texts?.merged ?? '';
  }

  /** Shows what a task makes of a file beside the file, at a line of the merged text. */
  async showDiff(task: string, file: ReviewFile, line?: number, preserveFocus = false): Promise<void> {
    const [left, right] = sides(task, file);
    const title = `${file.path}: now ↔ CASE${file.kept === undefined ? '' : ' (kept, not verified)'}`;
    const at = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true, preserveFocus, ...at });
  }

  /** Shows all files of a result in one editor. */
  async showAll(review: Review): Promise<void> {
    const list = review.files.filter((f) => !f.binary).map((f) => [ownOf(f), ...sides(review.task, f)]);
    await vscode.commands.executeCommand('vscode.changes', `CASE: ${review.title}`, list);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.contents.dispose();
    this.emitter.dispose();
    for (const s of this.subscriptions) {
      s.dispose();
    }
  }

  /** Closes the diffs of what is decided: both sides are the same now. */
  private async closeDecided(): Promise<void> {
    const tabs = vscode.window.tabGroups.all
      .flatMap((g) => g.tabs)
      .filter((tab) => {
        const of = tab.input instanceof vscode.TabInputTextDiff ? mergedOf(tab.input.modified) : undefined;
        return of !== undefined && !this.byTask.has(of.task);
      });
    if (tabs.length > 0) {
      await vscode.window.tabGroups.close(tabs, true);
    }
  }

  /** Hunks move when the user types; the server counts them anew after a while. */
  private typed(document: vscode.TextDocument): void {
    if (document.uri.scheme !== 'file' || this.pendingIn(document.uri).length === 0) {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), typingPause);
  }
}

/** The user's own file: where a renamed one still is. */
export function ownOf(file: ReviewFile): vscode.Uri {
  return vscode.Uri.parse(file.fromUri ?? file.uri);
}

/** The two sides of a diff. */
function sides(task: string, file: ReviewFile): [vscode.Uri, vscode.Uri] {
  const query = JSON.stringify({ task, file: file.path, kept: file.kept ?? '' });
  const left = file.kind === 'created' ? vscode.Uri.from({ scheme: emptyScheme, path: '/' + file.path }) : ownOf(file);
  return [left, vscode.Uri.from({ scheme: mergedScheme, path: '/' + file.path, query })];
}

/** What a merged text is of; undefined for any other document. */
export function mergedOf(uri: vscode.Uri): { task: string; file: string; kept: string } | undefined {
  if (uri.scheme !== mergedScheme) {
    return undefined;
  }
  try {
    return JSON.parse(uri.query) as { task: string; file: string; kept: string };
  } catch {
    return undefined;
  }
}

function sameFile(a: vscode.Uri, b: vscode.Uri): boolean {
  return b.scheme === 'file' && a.fsPath === b.fsPath;
}

/** The open hunks of a file: each moves those below it in the merged text. */
function pendingOf(task: string, file: ReviewFile): Pending[] {
  let shift = 0;
  const list: Pending[] = [];
  for (const hunk of file.hunks.filter(isOpen)) {
    const line = hunk.range?.start.line ?? 0;
    list.push({ task, file, hunk, line, mergedLine: file.whole ? 0 : Math.max(0, line + shift) });
    if (hunk.state === 'pending' && hunk.range !== null) {
      shift += hunk.new.length - (hunk.range.end.line - hunk.range.start.line);
    }
  }
  return list;
}
