import * as vscode from 'vscode';
import { type CancellationToken, MessageType, type MessageActionItem, type ShowDocumentParams, type ShowMessageParams, type ShowMessageRequestParams } from 'vscode-languageclient/node';
import type { Board } from './board';
import { type Question, type Task, isOpen } from './data';
import { named, notify, plain, told } from './notify';
import { type Reviews, reviewDocument } from './review';
import { own } from './settings';

/** The message that a result is ready, as the server writes it. */
const ready = /^"(?:\\.|[^"\\])*" is done: \d+ hunks? in /;

/** The message that folders are only read, as the server writes it, and how the one begins that ends it. */
const untrusted = /^caselsp only reads in [^]*, which is not trusted\. Trust it with the command caselsp\.trust\.$/;
const nowTrusted = 'The open folders are trusted: ';

/** How long a message that only tells something stays, and how long what changes is still what it tells, in milliseconds. */
const tellTime = 30_000;
const tellSettle = 1500;

/** How much of a task's title stands in messages at least, in characters. */
const titleText = 20;

/** How long the message that a result is ready stays, in milliseconds; the status bar goes on saying it. */
const readyTime = 60_000;

/** The command behind the choices of a message; nobody else calls it. */
const chooseCommand = 'caselsp-vscode.choose';

/** Shows what the server says, asks and opens, in the ways of VS Code. */
export class Messages implements vscode.Disposable {
  /** What takes the choice of each message that is open, by its number. */
  private readonly choices = new Map<number, (choice: number) => void>();
  private last = 0;
  /** How many questions the server wants to be told, which are told, and what ends the notification about them. */
  private asked = 0;
  private told = '';
  private endNotice: (() => void) | undefined;
  private endTrust: (() => void) | undefined;
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(
    private readonly board: Board,
    private readonly reviews: Reviews,
  ) {
    this.subscriptions = [
      vscode.commands.registerCommand(chooseCommand, (message: number, choice: number) => this.choices.get(message)?.(choice)),
      board.onChanged(() => this.tellQuestions()),
    ];
  }

  dispose(): void {
    for (const s of this.subscriptions) {
      s.dispose();
    }
  }

  /** A message that needs no answer. */
  show(params: ShowMessageParams): void {
    if (ready.test(params.message)) {
      void this.tellReady(params);
    } else if (untrusted.test(params.message)) {
      void this.askTrust(params.message);
    } else if (params.type === MessageType.Info || params.type === MessageType.Log) {
      this.trusted(params.message);
      void this.tell(params);
    } else {
      notify(params.type, params.message);
    }
  }

  /** A message of how things are, until they are not so any more: what it tells, such as how much is left, is out of date then. */
  private async tell(params: ShowMessageParams): Promise<void> {
    const { text, entries } = told(params.message);
    let over: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (over = resolve));
    const begin = Date.now();
    let before = this.stand(params.message);
    const look = () => {
      const now = this.stand(params.message);
      if (Date.now() - begin < tellSettle) {
        before = now;
      } else if (now !== before) {
        over();
      }
    };
    const subscriptions = [this.board.onChanged(look), this.reviews.onReviews(look)];
    const timer = setTimeout(over, tellTime);
    const chosen = await this.offer(text, entries.map((e) => e.title), ended);
    clearTimeout(timer);
    subscriptions.forEach((s) => void s.dispose());
    const entry = chosen === undefined ? undefined : entries[chosen];
    if (entry !== undefined) {
      await vscode.commands.executeCommand(entry.command);
    }
  }

  /** How the tasks stand that a message names, all of them where it names none: whether they work, and what is open of them. */
  private stand(message: string): string {
    const named = this.board.tasks.filter((t) => message.includes(JSON.stringify(t.title).slice(1, -1).slice(0, titleText)));
    const list = named.length > 0 ? named : this.board.tasks;
    return JSON.stringify(list.map((t) => [t.id, t.here ? '' : t.state, this.reviews.pending(t.id).length]));
  }

  /** Whether the folders are to be trusted, which is only read until that is clicked. */
  private async askTrust(message: string): Promise<void> {
    const over = new Promise<void>((resolve) => (this.endTrust = resolve));
    const chosen = await this.offer(message.replace(/ Trust it with[^]*$/, ''), ['Not now', 'Trust the open folders'], over);
    if (chosen === 1) {
      await vscode.commands.executeCommand('caselsp-vscode.trust');
    }
  }

  /** Ends the question whether the folders are to be trusted when they are. */
  private trusted(message: string): void {
    if (message.startsWith(nowTrusted)) {
      this.endTrust?.();
    }
  }

  /** Tells that a result waits, with ways to look at it, until one is chosen or something of it is decided: then what is told is out of date. */
  async tellResult(task: Task, text: string, previewed: boolean, time?: number): Promise<void> {
    const ways = [
      { title: 'Review', command: 'caselsp-vscode.review' },
      ...(previewed ? [{ title: 'Show in Refactor Preview', command: 'caselsp-vscode.preview' }] : []),
    ];
    const open = (await this.reviews.load(task.id))?.open;
    const decided = this.until(() => this.board.task(task.id)?.state !== 'review' || (this.reviews.get(task.id)?.open ?? open) !== open);
    const timer = time === undefined ? undefined : new Promise<void>((resolve) => setTimeout(resolve, time));
    const chosen = await this.offer(text, ways.map((w) => w.title), Promise.race([decided, ...(timer === undefined ? [] : [timer])]));
    const way = chosen === undefined ? undefined : ways[chosen];
    if (way !== undefined) {
      await vscode.commands.executeCommand(way.command, { task: task.id });
    }
  }

  private async tellReady(params: ShowMessageParams): Promise<void> {
    await this.board.read();
    const waiting = this.board.tasks.filter((t) => t.state === 'review');
    const task = waiting.find((t) => params.message.startsWith(JSON.stringify(t.title))) ?? waiting[0];
    if (task === undefined) {
      notify(params.type, params.message);
      return;
    }
    const previewed = vscode.workspace.getConfiguration('caselsp').get<boolean | null>('review.annotations') !== false;
    await this.tellResult(task, named(params.message).text, previewed, readyTime);
  }

  /**
   * A message with choices. A question of a task is shown until it is decided, however that happens; its choices are in the
   * view of questions, so that none is left on the screen that is out of date.
   */
  async ask(params: ShowMessageRequestParams, token: CancellationToken): Promise<MessageActionItem | null> {
    const question = await this.questionOf(params.message);
    if (question === undefined) {
      return this.choose(named(params.message).text, params.actions ?? [], token);
    }
    this.asked++;
    this.tellQuestions();
    await this.until(() => !this.board.questions.some((q) => q.task === question.task && q.id === question.id));
    this.asked--;
    this.tellQuestions();
    return null;
  }

  /** One notification for all questions that are open; it leads with the one that the status bar and the view lead with. */
  private tellQuestions(): void {
    const list = this.board.questions;
    const first = list[0];
    const told = list.map((q) => `${q.task}/${q.id}`).join(' ');
    if (this.asked > 0 && told === this.told) {
      return;
    }
    this.endNotice?.();
    this.endNotice = undefined;
    this.told = this.asked > 0 ? told : '';
    if (this.asked === 0 || first === undefined || own('vscode.questions', 'notification') !== 'notification') {
      return;
    }
    const ended = new Promise<void>((resolve) => (this.endNotice = resolve));
    // The link first: what is longer than a line is cut off. A button would end the notification, and its answer with it.
    const more = list.length > 1 ? ` (+${list.length - 1})` : '';
    const title = `[Show the question${more}](command:caselsp-vscode.questions) ${plain(first.text)}`;
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () => ended);
  }

  /** Shows a message until one of its choices is clicked, or the server takes it back. */
  private async choose(text: string, actions: MessageActionItem[], token: CancellationToken): Promise<MessageActionItem | null> {
    const over = new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()));
    const chosen = await this.offer(text, actions.map((a) => a.title), over);
    return chosen === undefined ? null : (actions[chosen] ?? null);
  }

  /**
   * Shows a message until one of its choices is clicked, whose number is returned, or it is over. The choices are links, and come
   * first: a notification with buttons can be closed by nobody but the user, and what is longer than a line is cut off.
   */
  private offer(text: string, titles: string[], over: Promise<void>): Promise<number | undefined> {
    const number = ++this.last;
    const links = titles.map((t, i) => `[${t.replace(/[[\]]/g, '')}](command:${chooseCommand}?${encodeURIComponent(JSON.stringify([number, i]))})`);
    const chosen = new Promise<number | undefined>((resolve) => {
      this.choices.set(number, resolve);
      void over.then(() => resolve(undefined));
    }).finally(() => this.choices.delete(number));
    const title = [...(links.length > 0 ? [links.join(' · ')] : []), plain(text)].join(' — ');
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, (bar) => {
      bar.report({ increment: 100 }); // nothing is under way
      return chosen;
    });
    return chosen;
  }

  /**
   * A document. In the place of the review document, which comes unasked, the diff editor shows the first open change, unless
   * another result is being looked at. What comes unasked takes neither the keyboard nor the place of a text.
   */
  async open(params: ShowDocumentParams, next: () => Promise<{ success: boolean }>): Promise<{ success: boolean }> {
    if (params.takeFocus === true || params.external === true) {
      return next();
    }
    const task = reviewDocument.exec(params.uri)?.[1];
    if (task !== undefined && this.reviews.inView().some((t) => t !== task)) {
      return { success: true }; // the message that it is ready follows
    }
    const review = task === undefined ? undefined : await this.reviews.load(task);
    const file = review?.files.find((f) => !f.binary && f.hunks.some(isOpen));
    if (review !== undefined && file !== undefined) {
      await this.reviews.showDiff(review, file, undefined, true);
    } else {
      await this.beside(params);
    }
    return { success: true };
  }

  /**
   * A document that comes unasked, in the column where it is shown already, else beside the text: in the column of the text it would
   * take its place, and the keys that are being typed. As a preview it would take the place of one that the user reads.
   */
  private async beside(params: ShowDocumentParams): Promise<void> {
    const uri = vscode.Uri.parse(params.uri);
    const shown = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === uri.toString());
    const at = params.selection;
    await vscode.window.showTextDocument(uri, {
      viewColumn: shown?.viewColumn ?? vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: false,
      ...(at === undefined ? {} : { selection: new vscode.Range(at.start.line, at.start.character, at.end.line, at.end.character) }),
    });
  }

  /** Reports whether lenses of the extension decide about hunks in a document. */
  decides(document: vscode.Uri): boolean {
    return this.reviews.pendingIn(document).length > 0;
  }

  private async questionOf(message: string): Promise<Question | undefined> {
    await this.board.read();
    return this.board.questions.find((q) => q.text === message);
  }

  /** Ends when something is so. */
  private until(so: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      if (so()) {
        resolve();
        return;
      }
      const look = () => {
        if (so()) {
          subscriptions.forEach((s) => void s.dispose());
          resolve();
        }
      };
      const subscriptions = [this.board.onChanged(look), this.reviews.onReviews(look)];
    });
  }
}
