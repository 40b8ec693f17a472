import * as vscode from 'vscode';
import {
  type ClientCapabilities,
  type CloseHandlerResult,
  CloseAction,
  type ErrorHandler,
  type ErrorHandlerResult,
  ErrorAction,
  type Executable,
  type FeatureState,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
  State,
  type StaticFeature,
  ShowMessageNotification,
  ShowMessageRequest,
} from 'vscode-languageclient/node';
import { findBinary } from './binary';
import type { Messages } from './messages';
import { named, plain } from './notify';
import { withText } from './prompts';
import { own, section, settingsFor } from './settings';

/**
 * The commands of the server that read and show, and change nothing. In a window that is not trusted there are no others;
 * what is not listed here is refused.
 */
const reading = new Set(
  ['status', 'questions', 'review', 'activity', 'history', 'report', 'approvals', 'memory', 'settings', 'doctor', 'state', 'metrics'].map(
    (name) => `${section}.${name}`,
  ),
);

/** The commands of the server's lenses on hunks. */
const deciding = new Set(['accept', 'reject', 'next'].map((name) => `${section}.${name}`));

/** The page of the doctor: caselsp's own words, in which commands are named as in the palette. */
const doctorPage = '/doctor.md';

/** How the server calls its progresses, and the one that is of no task. */
const progressTitle = 'CASE', noTask = 'trying ';

/** How often a server that ends by itself is started again within restartSpan: more often, it would only end again. */
const maxRestarts = 3;
const restartSpan = 3 * 60_000;

/**
 * Tells the server that this client shows questions in its own way, beside the text, wants to know of changes, shows documents
 * that are no files, and offers a preview of a result by itself.
 */
class Claims implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    // Without annotations no edit waits to be confirmed in Refactor Preview, which would come unasked and take the keyboard.
    const { changeAnnotationSupport: _annotations, ...workspaceEdit } = capabilities.workspace?.workspaceEdit ?? {};
    const workspace: object = { ...capabilities.workspace, workspaceEdit, textDocumentContent: { dynamicRegistration: false } };
    capabilities.workspace = workspace;
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), caselsp: { questions: 'beside', events: true } };
  }
  initialize(): void {
    // The server answers nothing to it.
  }
  getState(): FeatureState {
    return { kind: 'static' };
  }
  clear(): void {
    // Nothing is kept.
  }
}

/** Starts the server again when it has ended by itself, and gives up where that does not help. */
class Restarts implements ErrorHandler {
  private ends: number[] = [];
  error(): ErrorHandlerResult {
    return { action: ErrorAction.Continue };
  }
  closed(): CloseHandlerResult {
    const now = Date.now();
    this.ends = [...this.ends.filter((t) => now - t < restartSpan), now];
    if (this.ends.length <= maxRestarts) {
      return { action: CloseAction.Restart };
    }
    return {
      action: CloseAction.DoNotRestart,
      message: `caselsp ended ${this.ends.length} times within three minutes and is not started again. Its output says why; "CASE: Restart the server" starts it again.`,
    };
  }
}

/** The language server and how it is asked. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private turn: Promise<void> = Promise.resolve();
  private readonly changes = new vscode.EventEmitter<unknown>();
  private readonly states = new vscode.EventEmitter<void>();
  private readonly contents = new vscode.EventEmitter<vscode.Uri>();
  private readonly provider: vscode.Disposable;
  /** Something about tasks, questions or results is different now. */
  readonly onChanged = this.changes.event;
  /** The server began or ended. */
  readonly onState = this.states.event;
  /** Why there is no server; "" where there is one, or none was wanted yet. */
  problem = '';
  /** The progresses of tasks, which are not shown twice. */
  private readonly ownProgresses = new Set<number | string>();
  /** Who shows what the server says; set before it starts. */
  messages: Messages | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    readonly output: vscode.LogOutputChannel,
    private readonly trace: vscode.OutputChannel,
  ) {
    // The documents of the server that are only read: plan, activity, review, report ...
    this.provider = vscode.workspace.registerTextDocumentContentProvider(section, {
      onDidChange: this.contents.event,
      provideTextDocumentContent: (uri) => this.content(uri),
    });
  }

  get running(): boolean {
    return this.client?.state === State.Running;
  }

  /** Starts the server, or says why that cannot be done. */
  start(): Promise<void> {
    return this.queue(async () => {
      if (this.client !== undefined) {
        return;
      }
      const found = findBinary(own('path', ''));
      if ('problem' in found) {
        this.problem = found.problem;
        this.states.fire();
        void this.adviseInstall(found.problem);
        return;
      }
      this.problem = '';
      this.output.info(`starting ${found.file} serve`);
      const client = this.make(found.file);
      this.client = client;
      client.onDidChangeState(() => this.states.fire());
      this.listen(client);
      try {
        await client.start();
      } catch (err) {
        this.client = undefined;
        this.problem = `caselsp could not be started: ${text(err)}`;
        this.output.error(this.problem);
        this.states.fire();
        void vscode.window.showErrorMessage(plain(this.problem));
        await client.dispose().catch(() => undefined);
      }
    });
  }

  stop(): Promise<void> {
    return this.queue(async () => {
      const client = this.client;
      this.client = undefined;
      await client?.dispose().catch((err: unknown) => this.output.warn(text(err)));
      this.states.fire();
    });
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /**
   * Has the server carry out one of its commands. Its error is one for the user: the caller shows it.
   */
  async execute(command: string, argument?: unknown): Promise<unknown> {
    const refusal = refused(command);
    if (refusal !== undefined) {
      throw new Error(refusal);
    }
    if (this.client === undefined) {
      await this.start();
    }
    if (this.client === undefined) {
      throw new Error(this.problem === '' ? 'caselsp does not run.' : this.problem);
    }
    await this.client.start(); // waits for one that is starting
    return this.client.sendRequest('workspace/executeCommand', { command, arguments: argument === undefined ? [] : [argument] });
  }

  /** The text of a document of the server that is no file. */
  private async content(uri: vscode.Uri): Promise<string> {
    if (this.client === undefined) {
      await this.start();
    }
    await this.client?.start();
    const answer = await this.client?.sendRequest<{ text: string }>('workspace/textDocumentContent', { uri: uri.toString() });
    const page = answer?.text ?? '';
    return uri.path === doctorPage ? named(page).text : page;
  }

  /** Reports whether the server has a command. */
  has(command: string): boolean {
    const commands = this.client?.initializeResult?.capabilities.executeCommandProvider?.commands;
    return commands?.includes(command) ?? false;
  }

  /** A range and a diagnostic as the protocol has them. */
  get convert(): LanguageClient['code2ProtocolConverter'] | undefined {
    return this.client?.code2ProtocolConverter;
  }

  dispose(): void {
    void this.stop();
    this.provider.dispose();
    this.contents.dispose();
    this.changes.dispose();
    this.states.dispose();
  }

  /** Starts and stops follow each other: two clients at once would show everything twice. */
  private queue(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work, work);
    return this.turn;
  }

  private make(file: string): LanguageClient {
    const run: Executable = { command: file, args: ['serve'] };
    const options: LanguageClientOptions = {
      // Diagnostics of every language can be fixed, and documents of the server lie outside of the project.
      documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }, { scheme: section }],
      outputChannel: this.output,
      traceOutputChannel: this.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      middleware: this.middleware(),
      errorHandler: new Restarts(),
    };
    const client = new LanguageClient(section, 'CASE', run, options);
    client.registerFeature(new Claims());
    return client;
  }

  /** What the client would do in its own way: these handlers take the place of its own. */
  private listen(client: LanguageClient): void {
    client.onNotification('caselsp/changed', (what: unknown) => this.changes.fire(what));
    client.onRequest('workspace/textDocumentContent/refresh', (params: { uri: string }) => {
      this.contents.fire(vscode.Uri.parse(params.uri));
      return null;
    });
    const messages = this.messages;
    if (messages !== undefined) {
      client.onNotification(ShowMessageNotification.type, (params) => messages.show(params));
      client.onRequest(ShowMessageRequest.type, (params, token) => messages.ask(params, token));
    }
  }

  private middleware(): Middleware {
    return {
      executeCommand: async (command, args, next) => {
        const refusal = refused(command);
        if (refusal !== undefined) {
          void vscode.window.showWarningMessage(refusal);
          return null;
        }
        const words = args[0] as { text?: string; uri?: string; send?: boolean; withdraw?: boolean } | undefined;
        if (command === `${section}.note` && words !== undefined && (words.text ?? words.uri ?? words.send ?? words.withdraw) === undefined) {
          return vscode.commands.executeCommand(`${section}-vscode.note`, words); // a note is typed into a box, and not into a document
        }
        const filled = await withText(command, args as unknown[]);
        if (filled === undefined) {
          return null;
        }
        try {
          return (await next(...filled)) as unknown;
        } finally {
          this.changes.fire(undefined);
        }
      },
      handleWorkDoneProgress: (token, params, next) => {
        // The status bar's own entry says where a task is; other work is shown as the client does.
        if (params.kind === 'begin' && params.title === progressTitle && params.message?.startsWith(noTask) !== true) {
          this.ownProgresses.add(token);
        }
        if (!this.ownProgresses.has(token) || params.kind === 'end') {
          this.ownProgresses.delete(token);
          next(token, params);
        }
        this.changes.fire(undefined);
      },
      // On hunks in the user's files stand the extension's own.
      provideCodeLenses: async (document, token, next) => {
        const lenses = await next(document, token);
        return this.messages?.decides(document.uri) === true ? lenses?.filter((l) => !deciding.has(l.command?.command ?? '')) : lenses;
      },
      window: {
        showDocument: async (params, next) => {
          const plainly = async () => next(params, new vscode.CancellationTokenSource().token) as Promise<{ success: boolean }>;
          return (await this.messages?.open(params, plainly)) ?? plainly();
        },
      },
      workspace: {
        configuration: (params) =>
          params.items.map((item) =>
            item.section === section ? settingsFor(this.context, item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri)) : null,
          ),
        // Without a section, nothing is pushed but that something changed: the server asks.
        didChangeConfiguration: (_sections, next) => next(undefined),
      },
    };
  }

  private async adviseInstall(problem: string): Promise<void> {
    const how = 'How to install', where = 'Set the path';
    const chosen = await vscode.window.showErrorMessage(
      `${plain(problem)} CASE needs it: build it ("make build" in a clone of caselsp), put it on PATH, or set caselsp.path.`,
      how,
      where,
    );
    if (chosen === how) {
      await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${this.context.extension.id}#start`, false);
    } else if (chosen === where) {
      await vscode.commands.executeCommand('caselsp-vscode.setPath');
    }
  }
}

/** Why a command is not carried out in this window; undefined where it is. */
function refused(command: string): string | undefined {
  if (vscode.workspace.isTrusted || reading.has(command)) {
    return undefined;
  }
  return 'This window is not trusted: CASE only reads in it. "Workspaces: Manage Workspace Trust" changes that.';
}

/** An error as a sentence. */
export function text(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
