import * as vscode from 'vscode';
import { MessageType } from 'vscode-languageclient/node';
import type { Board } from './board';
import type { Task } from './data';
import { notify } from './notify';
import { stateIcon } from './tasks';

/** Asks for a text; undefined where the user gave up, "" where they gave none. */
export function ask(title: string, prompt: string, value = ''): Thenable<string | undefined> {
  return vscode.window.showInputBox({ title, prompt, value, ignoreFocusOut: true });
}

/**
 * A task that a command has something to do for: the only one, else the one that is chosen. With sure, it is chosen in any case,
 * since it is about all of a result.
 */
export async function pickTask(board: Board, command: string, title: string, sure = false): Promise<Task | undefined> {
  await board.read();
  if (board.problem !== '') {
    notify(MessageType.Error, `CASE: ${board.problem}`);
    return undefined;
  }
  // What was touched last comes first: of those that are done, what was accepted last.
  const fitting = board.tasks.filter((t) => command === 'caselsp.activity' || t.can.includes(command)).sort((a, b) => b.changed.localeCompare(a.changed));
  if (fitting.length === 0) {
    void vscode.window.showInformationMessage(`${title}: there is no task for that.`);
    return undefined;
  }
  if (fitting.length === 1 && !sure) {
    return fitting[0];
  }
  const chosen = await vscode.window.showQuickPick(
    fitting.map((task) => ({ label: task.title, description: `${task.state}, ${when(task.changed)}`, detail: filesOf(task), iconPath: stateIcon(task), task })),
    { title, placeHolder: sure ? 'Of which task? All that is still open of its result is decided.' : 'Which task?', matchOnDescription: true, ignoreFocusOut: true },
  );
  return chosen?.task;
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
