import * as vscode from 'vscode';
import type { Board } from './board';
import { type Hunk, type Review, type ReviewFile, isOpen, readable } from './data';
import { type Server, text } from './server';

/** The scheme of texts as they will be: the user's own with all that is still open. */
export const mergedScheme = 'caselsp-merged';
/**
 * The scheme of the left sides: the user's text as it is now. It is not the file itself, on which the same lenses stand as on the right
 * side, and which would be open in the editor because it is looked at.
 */
const nowScheme = 'caselsp-now';
/** How much of a task's title stands in the title of a diff, in characters. */
const titleText = 24;

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
  /** Tasks of whose results the server has said that something is different. */
  private readonly changed = new Set<string>();

  constructor(
    private readonly server: Server,
    private readonly board: Board,
  ) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(mergedScheme, this),
      vscode.workspace.registerTextDocumentContentProvider(nowScheme, this),
      server.onChanged((what) => this.heard(what)),
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
    // The result that waits, work that lies still or is kept, and what is decided and was changed again: an undo of the editor can take something out of it.
    const wanted = this.board.tasks.filter((t) => t.state === 'review' || t.kept.length > 0 || this.byTask.has(t.id) || (t.state === 'succeeded' && this.changed.has(t.id)));
    this.changed.clear();
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
    this.followTexts();
    this.emitter.fire();
    await this.closeDecided();
  }

  /** How many accepted hunks of a result, which is decided, are not in the files any longer. */
  undone(task: string): number {
    return this.byTask.get(task)?.state === 'succeeded' ? this.pending(task).filter((p) => p.file.kept === undefined).length : 0;
  }

  /** The task whose result the active editor shows: a diff, the review document, or a file with its open hunks, the nearest first. */
  inFront(): string | undefined {
    const editor = vscode.window.activeTextEditor;
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const uri = tab instanceof vscode.TabInputTextDiff ? tab.modified : editor?.document.uri;
    if (uri === undefined) {
      return undefined;
    }
    const cursor = editor?.selection.active.line ?? 0;
    const near = this.pendingIn(uri).sort((a, b) => Math.abs(a.line - cursor) - Math.abs(b.line - cursor));
    return sideOf(uri)?.task ?? reviewDocument.exec(uri.path)?.[1] ?? near[0]?.task;
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
    const of = sideOf(uri);
    const file = of === undefined ? undefined : (await this.load(of.task, of.file))?.files.find((f) => (f.kept ?? '') === of.kept);
    if (file === undefined) {
      return '';
    }
    if (uri.scheme === mergedScheme) {
      return file.texts?.merged ?? '';
    }
    return file.kind === 'created' ? '' : ownText(ownOf(file), file);
  }

  /** The tasks whose results can be seen in the window at the moment. */
  inView(): string[] {
    const uris = vscode.window.visibleTextEditors.map((e) => e.document.uri);
    return uris.map((u) => sideOf(u)?.task ?? reviewDocument.exec(u.path)?.[1]).filter((t) => t !== undefined);
  }

  /**
   * Shows what a task makes of a file beside the file, at a line of the merged text. Unasked, it leaves the keyboard where it is, and
   * does not take the place of the text that the user has before them, nor of what they read as a preview.
   */
  async showDiff(review: Pick<Review, 'task' | 'title'>, file: ReviewFile, line?: number, unasked = false): Promise<void> {
    const [left, right] = sides(review.task, file);
    const title = `${file.path}: now ↔ CASE “${short(review.title, titleText)}”${file.kept === undefined ? '' : ' (kept, not verified)'}`;
    const at = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: !unasked, preserveFocus: unasked, viewColumn: columnFor(unasked), ...at });
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

  /** Takes in what the server says has changed. */
  private heard(what: unknown): void {
    for (const c of (what as { changes?: { task: string; kinds: string[] }[] } | undefined)?.changes ?? []) {
      if (c.kinds.includes('review')) {
        this.changed.add(c.task);
      }
    }
  }

  /** Hunks move when the user types; the server counts them anew after a while. */
  private typed(document: vscode.TextDocument): void {
    if (document.uri.scheme !== 'file' || this.pendingIn(document.uri).length === 0) {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.followTexts();
      void this.refresh();
    }, typingPause);
  }

  /** Has the texts of the diffs that are open read again. */
  private followTexts(): void {
    for (const doc of vscode.workspace.textDocuments) {
      if (sideOf(doc.uri) !== undefined) {
        this.contents.fire(doc.uri);
      }
    }
  }
}

/** The review document of the server, which it opens unasked when a result is there. */
export const reviewDocument = /\/review-([^/]+)\.diff$/;

/** Where a diff is shown: where one is already; else unasked beside a text in front of the user, whose keys it would take. */
function columnFor(unasked: boolean): vscode.ViewColumn {
  const has = vscode.window.tabGroups.all.find((g) => g.tabs.some((tab) => tab.input instanceof vscode.TabInputTextDiff && mergedOf(tab.input.modified) !== undefined));
  const other = has !== undefined && !(unasked && has.isActive && has.activeTab?.input instanceof vscode.TabInputText) ? has : undefined;
  return other?.viewColumn ?? (unasked && vscode.window.activeTextEditor !== undefined ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active);
}

/** The user's text as it is now: in the editor, else on disk, where one that is no UTF-8 is taken as the server has read it. */
export async function ownText(uri: vscode.Uri, file: ReviewFile): Promise<string> {
  const open = vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri.toString());
  if (open !== undefined) {
    return open.getText();
  }
  let bytes: Uint8Array;
  try {
    bytes = await vscode.workspace.fs.readFile(uri);
  } catch {
    return ''; // it is not there any more
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return file.texts?.before ?? new TextDecoder('latin1').decode(bytes);
  }
}

/** The beginning of a text. */
export function short(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).trimEnd()}…` : text;
}

/** The user's own file: where a renamed one still is. */
export function ownOf(file: ReviewFile): vscode.Uri {
  return vscode.Uri.parse(file.fromUri ?? file.uri);
}

/** What a side of a diff is of. */
interface Side {
  task: string;
  file: string;
  kept: string;
}

/** The two sides of a diff. */
function sides(task: string, file: ReviewFile): [vscode.Uri, vscode.Uri] {
  const query = JSON.stringify({ task, file: file.path, kept: file.kept ?? '' } satisfies Side);
  return [vscode.Uri.from({ scheme: nowScheme, path: '/' + (file.from ?? file.path), query }), vscode.Uri.from({ scheme: mergedScheme, path: '/' + file.path, query })];
}

/** What a merged text is of; undefined for any other document. */
export function mergedOf(uri: vscode.Uri): Side | undefined {
  return uri.scheme === mergedScheme ? sideOf(uri) : undefined;
}

/** What a side of a diff is of; undefined for any other document. */
function sideOf(uri: vscode.Uri): Side | undefined {
  if (uri.scheme !== mergedScheme && uri.scheme !== nowScheme) {
    return undefined;
  }
  try {
    return JSON.parse(uri.query) as Side;
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
    if (hunk.range !== null) {
      shift += hunk.new.length - (hunk.range.end.line - hunk.range.start.line);
    }
  }
  return list;
}
