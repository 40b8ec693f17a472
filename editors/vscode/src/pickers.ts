import * as vscode from 'vscode';
import { MessageType } from 'vscode-languageclient/node';
import type { Board } from './board';
import type { Task } from './data';
import { notify } from './notify';
import type { Reviews } from './review';
import { stateIcon } from './tasks';

/** Asks for a text; undefined where the user gave up, "" where they gave none. */
export function ask(title: string, prompt: string, value = ''): Thenable<string | undefined> {
  return vscode.window.showInputBox({ title, prompt, value, ignoreFocusOut: true });
}

/** How a task is chosen. */
export interface Choosing {
  /** What is told in the list, which is shown in any case, since the command is about all of a result. */
  sure?: string;
  /** Also a result that is decided and of which something is not in the files any longer. */
  undone?: boolean;
  /** What the command would do about a task; else its files are named. */
  about?: (task: Task) => string;
}

/** The commands that are about a result: a task without any change is not offered for them. */
const aboutResults: ReadonlySet<string> = new Set(['caselsp.accept', 'caselsp.review']);

/** A task that a command has something to do for: the only one, else the one that is chosen. That of the result in front of the user comes first. */
export async function pickTask(board: Board, reviews: Reviews, command: string, title: string, how: Choosing = {}): Promise<Task | undefined> {
  const front = reviews.inFront();
  await board.read();
  if (board.problem !== '') {
    notify(MessageType.Error, `CASE: ${board.problem}`);
    return undefined;
  }
  // What was touched last comes first: of those that are done, what was accepted last.
  const fits = (t: Task) => command === 'caselsp.activity' || t.can.includes(command) || (how.undone === true && reviews.undone(t.id) > 0);
  const changes = (t: Task) => !aboutResults.has(command) || t.files.length > 0 || t.kept.length > 0;
  const fitting = board.tasks
    .filter((t) => fits(t) && changes(t))
    .sort((a, b) => Number(b.id === front) - Number(a.id === front) || b.changed.localeCompare(a.changed));
  if (fitting.length === 0) {
    void vscode.window.showInformationMessage(`${title}: there is no task for that.`);
    return undefined;
  }
  if (fitting.length === 1 && how.sure === undefined) {
    return fitting[0];
  }
  const chosen = await vscode.window.showQuickPick(
    fitting.map((task) => ({ label: task.title, description: stands(task, reviews, front), detail: how.about?.(task) ?? filesOf(task), iconPath: stateIcon(task), task })),
    { title, placeHolder: how.sure ?? 'Which task?', matchOnDescription: true, ignoreFocusOut: true },
  );
  return chosen?.task;
}

/** Where a task is, and whether its result is in front of the user. */
function stands(task: Task, reviews: Reviews, front: string | undefined): string {
  const gone = reviews.undone(task.id) > 0 ? 'no longer in the file' : '';
  return [task.id === front ? 'shown in the editor' : '', task.state, gone, when(task.changed)].filter((s) => s !== '').join(', ');
}

/** When something was, in the user's own way; without the day where that is today. */
function when(time: string): string {
  const at = new Date(time);
  return at.toDateString() === new Date().toDateString() ? at.toLocaleTimeString() : at.toLocaleString();
}

/** The files of a task in one line, with those that were accepted before it was tried again, else its id. */
function filesOf(task: Task): string {
  const before = task.acceptedBefore ?? [];
  const list = [task.files.map((f) => f.path).join(', '), before.length === 0 ? '' : `accepted before: ${before.join(', ')}`];
  return list.filter((s) => s !== '').join('; ') || task.id;
}

/** What was decided about a task, file by file. */
export function decidedOf(task: Task): string {
  const of = (n: number | undefined, how: string) => (n === undefined || n === 0 ? '' : `${n} ${how}`);
  return task.files
    .map((f) => [f.path, [of(f.accepted, 'accepted'), of(f.rejected, 'rejected')].filter((s) => s !== '').join(', ')] as const)
    .filter(([, what]) => what !== '')
    .map(([path, what]) => `${path}: ${what}`)
    .join('; ') || filesOf(task);
}

/** A diagnostic of a document, of any language server; those nearest the cursor first. */
export async function pickDiagnostic(editor: vscode.TextEditor): Promise<vscode.Diagnostic | undefined> {
  const line = editor.selection.active.line;
  const list = vscode.languages
    .getDiagnostics(editor.document.uri)
    .sort((a, b) => Math.abs(a.range.start.line - line) - Math.abs(b.range.start.line - line));
  if (list.length === 0) {
    void vscode.window.showInformationMessage('CASE: this file has no diagnostics.');
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(
    list.map((diagnostic) => ({
      label: diagnostic.message.split('\n')[0] ?? '',
      description: [diagnostic.source ?? '', `line ${diagnostic.range.start.line + 1}`].filter((s) => s !== '').join(', '),
      diagnostic,
    })),
    { title: 'CASE: Fix a diagnostic', placeHolder: 'Which one?', ignoreFocusOut: true },
  );
  return chosen?.diagnostic;
}

/** What marks a line as one to carry out. */
const todoLine = /\b(TODO|FIXME)\b|\bcase: /;

/** A TODO or `case:` comment of a document: that of the cursor's line, else the one that is chosen. */
export async function pickTodo(editor: vscode.TextEditor): Promise<vscode.Range | undefined> {
  const here = editor.document.lineAt(editor.selection.active.line);
  if (todoLine.test(here.text)) {
    return here.range;
  }
  const lines = Array.from({ length: editor.document.lineCount }, (_, i) => editor.document.lineAt(i)).filter((l) => todoLine.test(l.text));
  if (lines.length === 0) {
    void vscode.window.showInformationMessage('CASE: this file has no TODO and no "case:" comment.');
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(
    lines.map((l) => ({ label: l.text.trim(), description: `line ${l.lineNumber + 1}`, range: l.range })),
    { title: 'CASE: Carry out a TODO', placeHolder: 'Which one?', ignoreFocusOut: true },
  );
  return chosen?.range;
}
