import * as vscode from 'vscode';
import { type Question, type QuestionsData, type StatusData, type Task, readable } from './data';
import { type Server, text } from './server';

/** After a change, how long to wait for others that come with it, in milliseconds. */
const settle = 120;
/** The shortest time between two questions to the server, in milliseconds. */
const pause = 400;

/** What a task does, in a few words. */
export function deed(t: Task): string {
  return t.doing === undefined || t.doing === '' ? t.action : t.doing;
}

/** What is known of the tasks and the questions: read from the server, shown by everything else. */
export class Board implements vscode.Disposable {
  tasks: Task[] = [];
  questions: Question[] = [];
  /** The settings of which a value waits to be confirmed. */
  unconfirmed: string[] = [];
  /** Why the tasks cannot be shown; "" where they can. */
  problem = '';
  /** The server answers with data. */
  answered = false;

  /** The questions that are open, in the order in which they were heard of. */
  private order: string[] = [];
  private readonly emitter = new vscode.EventEmitter<void>();
  readonly onChanged = this.emitter.event;
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> | undefined;
  private again: Promise<void> | undefined;
  private last = 0;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      server.onChanged(() => this.refresh()),
      server.onState(() => (server.running ? this.refresh() : this.clear())),
    ];
  }

  /** Has everything read again soon. */
  refresh(): void {
    if (this.timer !== undefined) {
      return;
    }
    const wait = Math.max(settle, this.last + pause - Date.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.read();
    }, wait);
  }

  /** Reads everything, as it is now or later: who waits for it knows what was so when they asked. */
  async read(): Promise<void> {
    if (this.reading === undefined) {
      this.reading = this.readOnce().finally(() => (this.reading = undefined));
      return this.reading;
    }
    this.again ??= this.reading.then(() => {
      this.again = undefined;
      return this.read();
    });
    return this.again;
  }

  /** The task that the user most likely means: one that waits, else one under way, else one to review. */
  current(): Task | undefined {
    const rank = (t: Task) => (t.questions.length > 0 ? 0 : t.here ? 1 : t.state === 'review' ? 2 : 3);
    return [...this.tasks].filter((t) => rank(t) < 3).sort((a, b) => rank(a) - rank(b))[0];
  }

  /** The latest task that lies still before its end. */
  still(): Task | undefined {
    return this.tasks.find((t) => !t.here && (t.interrupted || t.state === 'paused' || t.state === 'stopped'));
  }

  task(id: string): Task | undefined {
    return this.tasks.find((t) => t.id === id);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.emitter.dispose();
    for (const s of this.subscriptions) {
      s.dispose();
    }
  }

  private clear(): void {
    this.tasks = [];
    this.questions = [];
    this.unconfirmed = [];
    this.emitter.fire();
  }

  private async readOnce(): Promise<void> {
    if (!this.server.running) {
      return;
    }
    this.last = Date.now();
    try {
      const status = await this.server.execute('caselsp.status', { format: 'data' });
      const questions = await this.server.execute('caselsp.questions', { format: 'data' });
      if (!readable(status) || !readable(questions)) {
        throw new Error('This caselsp speaks another version of its data: update it, or this extension.');
      }
      this.tasks = (status as StatusData).tasks;
      this.unconfirmed = (status as StatusData).unconfirmed ?? [];
      this.questions = this.inOrder((questions as QuestionsData).questions);
      this.problem = '';
      this.answered = true;
    } catch (err) {
      this.problem = text(err);
    }
    this.emitter.fire();
  }

  /** Questions that are new come last: none moves under the hand of who is about to decide. */
  private inOrder(questions: Question[]): Question[] {
    const key = (q: Question) => `${q.task}/${q.id}`;
    // The server has the latest task first.
    const age = (q: Question) => -this.tasks.findIndex((t) => t.id === q.task);
    const fresh = questions.filter((q) => !this.order.includes(key(q))).sort((a, b) => age(a) - age(b));
    const open = new Set(questions.map(key));
    this.order = [...this.order.filter((k) => open.has(k)), ...fresh.map(key)];
    return [...questions].sort((a, b) => this.order.indexOf(key(a)) - this.order.indexOf(key(b)));
  }
}
