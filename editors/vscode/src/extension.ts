import * as vscode from 'vscode';
import { Attention } from './attention';
import { Board } from './board';
import { register } from './commands';
import { Hunks } from './hunks';
import { Links } from './links';
import { Messages } from './messages';
import { readPalette } from './notify';
import { Previews } from './preview';
import { QuestionView } from './questions';
import { Reviews } from './review';
import { Server } from './server';
import { TaskView } from './tasks';

let server: Server | undefined;

/** VS Code calls it once a window; it returns what tests and other extensions may use. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  readPalette(context);
  const output = vscode.window.createOutputChannel('CASE', { log: true });
  const trace = vscode.window.createOutputChannel('CASE (trace)');
  server = new Server(context, output, trace);
  const board = new Board(server);
  const reviews = new Reviews(server, board);
  const messages = new Messages(board, reviews);
  server.messages = messages;
  const hunks = new Hunks(server, reviews);
  const previews = new Previews(server, reviews);
  const questions = new QuestionView(context, server, board);
  const attention = new Attention(server, board, reviews, messages, () => void questions.reveal(false));
  const own = server;
  context.subscriptions.push(
    output,
    trace,
    server,
    board,
    reviews,
    messages,
    hunks,
    previews,
    questions,
    attention,
    new Links(),
    new TaskView(board, reviews),
    ...register({ context, server, board, reviews, hunks, questions, previews }),
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration('caselsp.path')) {
        void own.restart();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => board.refresh()),
  );
  await server.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
