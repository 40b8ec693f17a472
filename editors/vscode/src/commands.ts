import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import { MessageType } from 'vscode-languageclient/node';
import { findBinary } from './binary';
import type { Board } from './board';
import { isOpen } from './data';
import { type HunkArgument, type Hunks, fileOf, noteOn } from './hunks';
import { notify } from './notify';
import { type Choosing, ask, decidedOf, pickDiagnostic, pickTask, pickTodo } from './pickers';
import type { Previews } from './preview';
import type { QuestionView } from './questions';
import type { Reviews } from './review';
import { type Server, text } from './server';
import { own } from './settings';

/** What the commands work with. */
export interface Parts {
  context: vscode.ExtensionContext;
  server: Server;
  board: Board;
  reviews: Reviews;
  hunks: Hunks;
  questions: QuestionView;
  previews: Previews;
}

/** A row of the task view, or what another command passes on. */
type Argument = { task?: { id: string } | string } | undefined;

/** Registers the commands of the palette. Their ids are the extension's own: the server's are registered by the client. */
export function register(parts: Parts): vscode.Disposable[] {
  const all = { ...starting(parts), ...directing(parts), ...reviewing(parts), ...showing(parts), ...keeping(parts) };
  return Object.entries(all).map(([name, run]) =>
    vscode.commands.registerCommand(`caselsp-vscode.${name}`, async (argument: Argument) => {
      try {
        await run(argument);
      } catch (err) {
        notify(MessageType.Error, `CASE: ${text(err)}`);
      }
    }),
  );
}

type Table = Record<string, (argument: Argument) => Promise<unknown>>;

/** The place of the cursor or the selection, as arguments of a command. */
function place(server: Server, selected: boolean): { uri: string; range?: object } | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== 'file') {
    return undefined;
  }
  const uri = server.convert?.asUri(editor.document.uri) ?? editor.document.uri.toString();
  return selected && !editor.selection.isEmpty ? { uri, range: rangeOf(editor.selection) } : { uri };
}

/** A range as the protocol has it. */
function rangeOf(r: vscode.Range): object {
  return { start: { line: r.start.line, character: r.start.character }, end: { line: r.end.line, character: r.end.character } };
}

/** The active editor, or a message that there is none. */
function editorHere(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== 'file') {
    void vscode.window.showInformationMessage('CASE: open a file of the project first.');
    return undefined;
  }
  return editor;
}

/** The commands that begin something. */
function starting({ server }: Parts): Table {
  return {
    run: async () => {
      const task = await ask('CASE: Run a task', 'What should be done? Empty: write it in a document.');
      if (task !== undefined) {
        await (task.trim() === '' ? server.execute('caselsp.new') : server.execute('caselsp.run', { task }));
      }
    },
    runHere: async () => {
      const task = await ask('CASE: Work on this place', 'What should be done here?');
      if (task !== undefined && task.trim() !== '') {
        await server.execute('caselsp.run', { task, ...place(server, true) });
      }
    },
    new: () => server.execute('caselsp.new', place(server, true)),
    follow: async () => {
      const said = await ask('CASE: Go on from the last task', 'What should be done next? Its text, report and diff are given along.');
      if (said !== undefined) {
        await server.execute('caselsp.follow', said.trim() === '' ? undefined : { text: said });
      }
    },
    ask: async () => {
      const said = await ask('CASE: Ask about the code', 'Your question. @path and @symbol show the model a file or a declaration.');
      if (said !== undefined && said.trim() !== '') {
        await server.execute('caselsp.ask', { text: said });
      }
    },
    askHere: async () => {
      const said = await ask('CASE: Ask about this place', 'Your question about the selection, or about this file.');
      if (said !== undefined && said.trim() !== '') {
        await server.execute('caselsp.ask', { text: said, ...place(server, true) });
      }
    },
    threads: () => server.execute('caselsp.thread'),
    fix: async () => {
      const editor = editorHere();
      const diagnostic = editor === undefined ? undefined : await pickDiagnostic(editor);
      if (editor !== undefined && diagnostic !== undefined && server.convert !== undefined) {
        await server.execute('caselsp.fix', { uri: server.convert.asUri(editor.document.uri), diagnostic: server.convert.asDiagnostic(diagnostic) });
      }
    },
    fixAll: async () => {
      const here = editorHere() === undefined ? undefined : place(server, false);
      return here === undefined ? undefined : server.execute('caselsp.fixAll', here);
    },
    test: async () => {
      const here = editorHere() === undefined ? undefined : place(server, true);
      if (here === undefined) {
        return;
      }
      await (server.has('caselsp.test') ? server.execute('caselsp.test', here) : server.execute('caselsp.run', { task: 'Write tests for this.', ...here }));
    },
    todo: async () => {
      const editor = editorHere();
      const range = editor === undefined ? undefined : await pickTodo(editor);
      if (range !== undefined) {
        await server.execute('caselsp.todo', { ...place(server, false), range: rangeOf(range) });
      }
    },
  };
}

/** The id of a row of the view, else of the task that is chosen. */
async function taskOf({ board, reviews }: Pick<Parts, 'board' | 'reviews'>, argument: Argument, command: string, title: string, how?: Choosing): Promise<string | undefined> {
  const given = argument?.task;
  if (given !== undefined) {
    return typeof given === 'string' ? given : given.id;
  }
  return (await pickTask(board, reviews, command, title, how))?.id;
}

/** The commands to a task that is under way or lies still. */
function directing(parts: Parts): Table {
  const { server, questions } = parts;
  const simple = (command: string, title: string, how?: Choosing) => async (argument: Argument) => {
    const task = await taskOf(parts, argument, command, title, how);
    return task === undefined ? undefined : server.execute(command, { task });
  };
  return {
    tell: async (argument) => {
      const task = await taskOf(parts, argument, 'caselsp.tell', 'CASE: Tell a task something');
      const said = task === undefined ? undefined : await ask('CASE: Tell a task something', 'Its models are told before the next step.');
      if (said !== undefined && said.trim() !== '') {
        await server.execute('caselsp.tell', { task, text: said });
      }
    },
    stop: simple('caselsp.stop', 'CASE: Stop a task'),
    resume: simple('caselsp.resume', 'CASE: Resume a task'),
    undo: simple('caselsp.undo', 'CASE: Undo what was decided', {
      sure: 'All that was decided about which task is taken back? What you wrote since stays.',
      about: decidedOf,
    }),
    activity: simple('caselsp.activity', 'CASE: Show what a task does'),
    report: simple('caselsp.report', 'CASE: Report of a task'),
    questions: async () => questions.reveal(true),
    questionList: () => server.execute('caselsp.questions'),
  };
}

/** Decides about all that is open of a result. Of one that is decided, what is not in the files any longer is accepted again, by their names. */
function decideAll(parts: Parts, accept: boolean, title: string): (argument: Argument) => Promise<void> {
  const { server, reviews } = parts;
  return async (argument) => {
    const how = { sure: 'Of which task? All that is still open of its result is decided.', undone: accept };
    const task = await taskOf(parts, argument, 'caselsp.accept', title, how);
    if (task === undefined) {
      return;
    }
    if (!accept || reviews.undone(task) === 0) {
      await server.execute(accept ? 'caselsp.accept' : 'caselsp.reject', { task });
      return;
    }
    for (const file of new Set(reviews.pending(task).map((p) => p.file.path))) {
      await server.execute('caselsp.accept', { task, file });
    }
  };
}

/** The commands about results. */
function reviewing(parts: Parts): Table {
  const { server, reviews, hunks, previews } = parts;
  const decideFile = (accept: boolean) => async (argument: Argument) => {
    const given = hunkArgument(argument) ?? hunks.fileAtCursor();
    await hunks.decide(accept, given === undefined ? undefined : { ...given, hunk: 0 });
  };
  return {
    review: async (argument) => {
      const task = await taskOf(parts, argument, 'caselsp.review', 'CASE: Review a result');
      const review = task === undefined ? undefined : await reviews.load(task);
      if (review === undefined) {
        return;
      }
      const first = review.files.find((f) => !f.binary && f.hunks.some(isOpen)) ?? review.files[0];
      if (first === undefined) {
        void vscode.window.showInformationMessage('CASE: this task has changed nothing.');
        return;
      }
      await reviews.refresh();
      await reviews.showDiff(review, first, reviews.pending(review.task)[0]?.mergedLine);
    },
    reviewAll: async (argument) => {
      const task = await taskOf(parts, argument, 'caselsp.review', 'CASE: Review all files together');
      const review = task === undefined ? undefined : await reviews.load(task);
      if (review !== undefined) {
        await reviews.showAll(review);
      }
    },
    reviewFile: async (argument) => {
      const given = hunkArgument(argument);
      if (given === undefined) {
        return;
      }
      const review = reviews.get(given.task) ?? (await reviews.load(given.task));
      const file = fileOf(reviews, given) ?? review?.files.find((f) => f.path === given.file);
      if (review === undefined || file === undefined) {
        void vscode.window.showInformationMessage('CASE: this change can be seen when the task has stopped or is done.');
        return;
      }
      const at = reviews.pending(given.task).find((p) => p.file.path === given.file && (given.hunk === undefined || p.hunk.hunk === given.hunk));
      await reviews.showDiff(review, file, at?.mergedLine);
    },
    preview: async (argument) => {
      const task = await taskOf(parts, argument, 'caselsp.accept', 'CASE: Show a result in Refactor Preview');
      return task === undefined ? undefined : previews.show(task);
    },
    reviewDocument: async (argument) => {
      const task = await taskOf(parts, argument, 'caselsp.review', 'CASE: Open the review document');
      return task === undefined ? undefined : server.execute('caselsp.review', { task });
    },
    accept: decideAll(parts, true, 'CASE: Accept a result'),
    reject: decideAll(parts, false, 'CASE: Reject a result'),
    acceptFile: decideFile(true),
    rejectFile: decideFile(false),
    acceptHunk: async (argument) => hunks.decide(true, hunkArgument(argument)),
    rejectHunk: async (argument) => hunks.decide(false, hunkArgument(argument)),
    note: async (argument) => writeNote(parts, hunkArgument(argument) ?? (argument?.task === undefined ? hunks.hunkAtCursor() : undefined), argument),
    sendNotes: async (argument) => {
      const task = await taskOf(parts, argument, 'caselsp.accept', 'CASE: Send a result back with its notes');
      return task === undefined ? undefined : server.execute('caselsp.note', { task, send: true });
    },
    nextHunk: async () => hunks.go(1),
    previousHunk: async () => hunks.go(-1),
  };
}

/** Writes a note on a hunk or a file, else on the whole result of a task: what should be different. An empty one withdraws it. */
async function writeNote(parts: Parts, on: HunkArgument | undefined, argument: Argument): Promise<void> {
  const { server, reviews } = parts;
  if (on?.kept !== undefined) {
    void vscode.window.showInformationMessage('CASE: kept work is no part of the result and takes no note.');
    return;
  }
  const task = on?.task ?? (await taskOf(parts, argument, 'caselsp.accept', 'CASE: Write a note'));
  if (task === undefined) {
    return;
  }
  const hunk = on?.hunk === undefined || on.hunk === 0 ? undefined : on.hunk;
  const place = { task, ...(on === undefined ? {} : { file: on.file }), ...(hunk === undefined ? {} : { hunk }) };
  const old = noteOn(await reviews.load(task), on?.file, hunk);
  const what = on === undefined ? 'the whole result' : hunk === undefined ? on.file : `hunk ${hunk} of ${on.file}`;
  const said = await ask('CASE: Write a note', `What should be different in ${what}?${old === undefined ? '' : ' Empty: the note is withdrawn.'}`, old ?? '');
  if (said !== undefined && said.trim() !== '') {
    await server.execute('caselsp.note', { ...place, text: said.trim() });
  } else if (said !== undefined && old !== undefined) {
    await server.execute('caselsp.note', { ...place, withdraw: true });
  }
}

/** A hunk or file from a lens, or from a row of the view; undefined for the button of an editor, whose argument is a URI. */
function hunkArgument(argument: unknown): HunkArgument | undefined {
  const given = argument as { task?: string | { id: string }; file?: string | { path: string }; hunk?: number; kept?: string } | undefined;
  if (given?.task === undefined || given.file === undefined) {
    return undefined;
  }
  return {
    task: typeof given.task === 'string' ? given.task : given.task.id,
    file: typeof given.file === 'string' ? given.file : given.file.path,
    ...(given.hunk === undefined ? {} : { hunk: given.hunk }),
    ...(given.kept === undefined ? {} : { kept: given.kept }),
  };
}

/** The commands that open a document for reading. */
function showing({ server }: Parts): Table {
  const open = (command: string) => () => server.execute(command);
  return {
    history: open('caselsp.history'),
    approvals: open('caselsp.approvals'),
    memory: open('caselsp.memory'),
    validators: open('caselsp.validators'),
    doctor: open('caselsp.doctor'),
    projectState: open('caselsp.state'),
    prune: open('caselsp.prune'),
    metrics: async () => (server.has('caselsp.metrics') ? server.execute('caselsp.metrics') : showMetrics()),
    output: () => {
      server.output.show(true);
      return Promise.resolve();
    },
  };
}

/** The commands about settings, trust and the server. */
function keeping({ context, server, board }: Parts): Table {
  return {
    trust: () => server.execute('caselsp.trust', {}),
    withdrawTrust: () => server.execute('caselsp.trust', { withdraw: true }),
    settings: () => server.execute('caselsp.settings'),
    openSettings: async () => vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${context.extension.id}`),
    // On another machine than the window's, the settings of that machine hold.
    setPath: async () =>
      vscode.commands.executeCommand(`workbench.action.open${vscode.env.remoteName === undefined ? '' : 'Remote'}Settings`, { query: '@id:caselsp.path' }),
    walkthrough: async () => vscode.commands.executeCommand('workbench.action.openWalkthrough', `${context.extension.id}#start`, false),
    restart: () => server.restart(),
    refresh: () => board.read(),
  };
}

/** How long the program may take for its metrics, in milliseconds, and how much it may say, in bytes. */
const metricsTime = 20_000;
const metricsSize = 1 << 20;

/** Shows what the tasks of the project took and cost, as the terminal does. */
async function showMetrics(): Promise<void> {
  const found = findBinary(own('path', ''));
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if ('problem' in found || folder === undefined) {
    throw new Error('problem' in found ? found.problem : 'open a folder first.');
  }
  const said = await new Promise<string>((resolve, reject) => {
    execFile(found.file, ['metrics', '--dir', folder], { timeout: metricsTime, maxBuffer: metricsSize }, (err, stdout, stderr) => {
      if (err === null) {
        resolve(stdout);
      } else {
        reject(new Error(stderr.trim() === '' ? err.message : stderr.trim()));
      }
    });
  });
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: said });
  await vscode.window.showTextDocument(document);
}
