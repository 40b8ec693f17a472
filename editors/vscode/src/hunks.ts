import * as vscode from 'vscode';
import { type Review, type ReviewFile, counted } from './data';
import { type Pending, type Reviews, mergedOf, mergedScheme } from './review';
import type { Server } from './server';

/** Which hunk a lens or a menu means. */
export interface HunkArgument {
  task: string;
  file: string;
  hunk?: number;
  kept?: string;
}

/** Deciding about hunks where they are: lenses, the buttons of the editor's title, next and previous. */
export class Hunks implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.emitter.event;
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.modifiedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    borderColor: new vscode.ThemeColor('editorGutter.modifiedBackground'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 3px',
  });

  constructor(
    private readonly server: Server,
    private readonly reviews: Reviews,
  ) {
    this.subscriptions = [
      this.mark,
      vscode.languages.registerCodeLensProvider([{ scheme: 'file' }, { scheme: mergedScheme }], this),
      reviews.onReviews(() => this.update()),
      vscode.window.onDidChangeActiveTextEditor(() => this.update()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.decorate()),
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const merged = document.uri.scheme === mergedScheme;
    return this.reviews.pendingIn(document.uri).flatMap((p) => {
      const line = Math.min(merged ? p.mergedLine : p.line, Math.max(0, document.lineCount - 1));
      const at = new vscode.Range(line, 0, line, 0);
      const argument = argumentOf(p);
      const own = (title: string, command: string) => new vscode.CodeLens(at, { title, command: `caselsp-vscode.${command}`, arguments: [argument] });
      const name = p.hunk.hunk === 0 ? 'file' : 'hunk';
      if (this.reviews.undone(p.task) > 0) {
        return [own(`$(check) Accept ${name} again: it is no longer in the file`, 'acceptHunk')];
      }
      const accept = own(`$(check) Accept ${name}${obeyed(p.file)}`, 'acceptHunk');
      const conflict = p.hunk.state === 'conflict';
      const list = conflict ? [own(`$(warning) You changed the same lines${merged ? '' : ': show what CASE wrote'}`, 'reviewFile')] : [accept];
      list.push(own(`$(discard) Reject ${name}`, 'rejectHunk'));
      if (p.file.kept === undefined && this.server.has('caselsp.note')) {
        const review = this.reviews.get(p.task);
        const noted = noteOn(review, p.file.path, p.hunk.hunk) !== undefined;
        list.push(own(`$(comment) ${noted ? 'Change the note' : 'Write a note'}`, 'note'));
        if (noted) {
          list.push(own(`$(reply) Send the result back with ${counted(review?.notes?.length ?? 0, 'note')}`, 'sendNotes'));
        }
      }
      if (conflict) {
        list.push(accept); // at last: it waits until the user has taken their own lines back
      } else if (!merged) {
        list.push(own('$(diff) Show', 'reviewFile'));
      }
      return list;
    });
  }

  /** Decides about a hunk: the one that is given, else the one at the cursor. */
  async decide(accept: boolean, argument?: HunkArgument): Promise<void> {
    const given = argument ?? this.atCursor();
    if (given === undefined) {
      void vscode.window.showInformationMessage('CASE: there is no hunk to decide here. "CASE: Next hunk" goes to one.');
      return;
    }
    const { task, file, hunk, kept } = given;
    await this.server.execute(accept ? 'caselsp.accept' : 'caselsp.reject', {
      task,
      file,
      ...(hunk === undefined || hunk === 0 ? {} : { hunk }),
      ...(kept === undefined || kept === '' ? {} : { kept }),
    });
  }

  /** The hunk at the cursor, as an argument. */
  hunkAtCursor(): HunkArgument | undefined {
    return this.atCursor();
  }

  /** The file of the active editor, as an argument. */
  fileAtCursor(): HunkArgument | undefined {
    const found = this.atCursor();
    return found === undefined ? undefined : { ...found, hunk: 0 };
  }

  /** Goes to the next or the previous open hunk, also in another file; it shows it in the diff editor. */
  async go(by: 1 | -1): Promise<void> {
    const all = this.reviews.pending();
    if (all.length === 0) {
      void vscode.window.showInformationMessage('CASE: there is no hunk to decide.');
      return;
    }
    const from = this.indexHere(all, by);
    const next = all[(from + all.length) % all.length];
    if (next !== undefined) {
      await this.reviews.showDiff(this.reviews.get(next.task) ?? { task: next.task, title: '' }, next.file, next.mergedLine);
    }
  }

  dispose(): void {
    this.emitter.dispose();
    for (const s of this.subscriptions) {
      s.dispose();
    }
  }

  /** Where in the list the next hunk is, seen from the cursor. */
  private indexHere(all: Pending[], by: 1 | -1): number {
    const editor = vscode.window.activeTextEditor;
    const here = editor === undefined ? [] : this.reviews.pendingIn(editor.document.uri);
    const first = here[0];
    if (editor === undefined || first === undefined) {
      return by === 1 ? 0 : -1;
    }
    const merged = editor.document.uri.scheme === mergedScheme;
    const line = (p: Pending) => (merged ? p.mergedLine : p.line);
    const cursor = editor.selection.active.line;
    const start = all.findIndex((p) => p.task === first.task && p.file.path === first.file.path);
    const before = here.filter((p) => line(p) < cursor).length;
    if (by === -1) {
      return start + before - 1;
    }
    return start + here.filter((p) => line(p) <= cursor).length;
  }

  /** The open hunk at the cursor, else the nearest one of its document. */
  private atCursor(): HunkArgument | undefined {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      return undefined;
    }
    const merged = mergedOf(editor.document.uri) !== undefined;
    const cursor = editor.selection.active.line;
    const distance = (p: Pending) => {
      const top = merged ? p.mergedLine : p.line;
      const lines = merged ? p.hunk.new.length : (p.hunk.range?.end.line ?? top) - top;
      return cursor < top ? top - cursor : Math.max(0, cursor - (top + Math.max(0, lines - 1)));
    };
    const list = this.reviews.pendingIn(editor.document.uri).sort((a, b) => distance(a) - distance(b));
    return list[0] === undefined ? undefined : argumentOf(list[0]);
  }

  private update(): void {
    this.emitter.fire();
    this.decorate();
    const uri = vscode.window.activeTextEditor?.document.uri;
    const here = uri !== undefined && this.reviews.pendingIn(uri).length > 0;
    void vscode.commands.executeCommand('setContext', 'caselsp-vscode.hunksHere', here);
    void vscode.commands.executeCommand('setContext', 'caselsp-vscode.hunks', this.reviews.pending().length > 0);
  }

  /** Marks the lines of the user's files that open hunks would change. */
  private decorate(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.scheme !== 'file') {
        continue;
      }
      const ranges = this.reviews.pendingIn(editor.document.uri).map((p) => {
        const end = Math.max(p.line, (p.hunk.range?.end.line ?? p.line) - 1);
        return new vscode.Range(p.line, 0, end, 0);
      });
      editor.setDecorations(this.mark, ranges);
    }
  }
}

function argumentOf(p: Pending): HunkArgument {
  return { task: p.task, file: p.file.path, hunk: p.hunk.hunk, ...(p.file.kept === undefined ? {} : { kept: p.file.kept }) };
}

/** The note on a hunk, on a file (hunk 0), or on the whole result (no file); undefined where there is none. */
export function noteOn(review: Review | undefined, file: string | undefined, hunk: number | undefined): string | undefined {
  return review?.notes?.find((n) => (n.file ?? '') === (file ?? '') && (n.hunk ?? 0) === (hunk ?? 0))?.text;
}

/** Who obeys a file without being told to: accepting it is more than a change of text. */
function obeyed(file: ReviewFile): string {
  return file.obeyed.by === '' ? '' : ` (obeyed by ${file.obeyed.by})`;
}

/** The file of an argument as the user has it. */
export function fileOf(reviews: Reviews, argument: HunkArgument): ReviewFile | undefined {
  return reviews.get(argument.task)?.files.find((f) => f.path === argument.file && (f.kept ?? '') === (argument.kept ?? ''));
}
