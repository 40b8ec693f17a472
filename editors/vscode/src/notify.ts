import * as vscode from 'vscode';
import { MessageType } from 'vscode-languageclient/node';

/**
 * A text as a notification shows it without taking a part of it for a link: VS Code makes links, also such that run
 * commands, of "[text](command:id)", and what a model or a command says may hold that.
 */
export function plain(text: string): string {
  return text.replace(/\]\(/g, '] (');
}

/** The server's commands whose entry in the palette has another name: what answers a question is done in the view of questions. */
const elsewhere: Readonly<Record<string, string>> = {
  answer: 'questions',
  approve: 'questions',
  approveAlways: 'questions',
  approveTask: 'questions',
  confirm: 'settings',
  deny: 'questions',
  next: 'nextHunk',
  "accept with the file's name": 'accept',
  'note with send': 'sendNotes',
  revoke: 'approvals',
  state: 'projectState',
  thread: 'threads',
};

/**
 * The entries that a message may offer as buttons: they show, and decide and begin nothing. What a message says may come from a
 * model or a file, which must not put "Accept" under it.
 */
const showing: ReadonlySet<string> = new Set(['approvals', 'doctor', 'history', 'memory', 'questions', 'report', 'review', 'settings', 'validators']);

/** What is quoted, which stays as it is, or a command as the server's texts name it, with the marks around it. */
const commandName = /“[^”]*”?|"(?:\\.|[^"\\])*"|`?\bcaselsp\.([a-zA-Z]+(?: with (?:send|the file's name)\b)?)(?![\w.]*\w)`?/g;

/** The most buttons under a notification: more do not stand in one row. */
const maxButtons = 3;

/** An entry of the palette. */
export interface Entry {
  command: string;
  title: string;
}

/** The palette's entries by their name; the extension's manifest has them. */
const entries = new Map<string, Entry>();

/** Reads the names of the palette's entries. */
export function readPalette(context: vscode.ExtensionContext): void {
  const manifest = context.extension.packageJSON as { contributes: { commands: Entry[] } };
  for (const { command, title } of manifest.contributes.commands) {
    entries.set(command.slice(command.indexOf('.') + 1), { command, title });
  }
}

/** A text of the server in which its commands are named as in the palette, and the entries that it may offer. */
export function named(text: string): { text: string; entries: Entry[] } {
  const found = new Set<Entry>();
  const told = text.replace(commandName, (whole: string, name: string | undefined) => {
    const own = name === undefined ? '' : (elsewhere[name] ?? name);
    const entry = entries.get(own);
    if (entry === undefined) {
      return whole;
    }
    if (showing.has(own)) {
      found.add(entry);
    }
    return `“CASE: ${entry.title}”`;
  });
  return { text: told, entries: [...found] };
}

/** What the server says of files that are not saved yet: with auto save, they are when it is read. It ends the message, or what follows does. */
const unsaved = / Changed in the editor, not saved yet: [^\n]*?\.(?=$| Written, not open here: )/;

/** A text of the server as it is told, and the entries that are offered with it. */
export function told(message: string): { text: string; entries: Entry[] } {
  const saves = vscode.workspace.getConfiguration('files').get<string>('autoSave', 'off') !== 'off';
  const { text, entries: offered } = named(saves ? message.replace(unsaved, '') : message);
  return { text, entries: offered.slice(0, maxButtons) };
}

/** Shows a text of the server; what it says can be looked at is a button under it. */
export function notify(type: MessageType, message: string): void {
  const { text, entries: offered } = told(message);
  const buttons = offered.map((e) => e.title);
  void presenter(type)(plain(text), ...buttons).then((chosen) => {
    const entry = offered.find((e) => e.title === chosen);
    if (entry !== undefined) {
      void vscode.commands.executeCommand(entry.command);
    }
  });
}

/** What shows messages of a type. */
function presenter(type: MessageType): typeof vscode.window.showErrorMessage {
  switch (type) {
    case MessageType.Error:
      return vscode.window.showErrorMessage;
    case MessageType.Warning:
      return vscode.window.showWarningMessage;
    default:
      return vscode.window.showInformationMessage;
  }
}
