import * as vscode from 'vscode';
import { type Question, type QuestionsData, type StatusData, type Task, readable } from './data';
import { type Server, text } from './server';

/** After a change, how long to wait for others that come with it, in milliseconds. */
const settle = 120;
/** The shortest time between two questions to the server, in milliseconds. */
const pause = 400;

/** What a task did in one step, as far as this window has seen it. */
export interface Step {
  round: number;
  step: number;
  action: string;
  about: string;
  thought: string;
}

/** How many steps of one feature are kept to be shown: three rounds of them. */
const maxSteps = 45;

/** Under which the steps are kept. */
const stepsKey = 'steps';

/** What a task does, in a few words. */
export function deed(t: Task): string {
  return t.doing === undefined || t.doing === '' ? t.action : t.doing;
}

/** What is known of the tasks, the questions and the steps: read from the server, shown by everything else. */
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
  private readonly steps = new Map<string, Step[]>();
  private readonly emitter = new vscode.EventEmitter<void>();
  readonly onChanged = this.emitter.event;
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> | undefined;
  private again: Promise<void> | undefined;
  private last = 0;
  private readonly subscriptions: vscode.Disposable[];

  /** The steps as they are kept. */
  private kept = '';

  constructor(
    private readonly server: Server,
    private readonly memory: vscode.Memento,
  ) {
    for (const [key, list] of memory.get<[string, Step[]][]>(stepsKey, [])) {
      this.steps.set(key, list);
    }
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

  /** The steps of a feature of a task, in order. */
  stepsOf(task: string, feature: number): Step[] {
    return this.steps.get(`${task}/${feature}`) ?? [];
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
      this.noteSteps();
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

  private noteSteps(): void {
    for (const t of this.tasks) {
      if (!t.here || t.action === '') {
        continue;
      }
      const key = `${t.id}/${t.feature}`;
      const list = this.steps.get(key) ?? [];
      const step = { round: t.round, step: t.step, action: deed(t), about: t.command === '' ? t.file : t.command, thought: t.thought };
      const last = list.at(-1);
      if (last?.round === step.round && last.step === step.step) {
        list[list.length - 1] = step; // what it does in the course of one step
      } else {
        list.push(step);
      }
      this.steps.set(key, list.slice(-maxSteps));
    }
    this.keepSteps();
  }

  /** Keeps the steps of the tasks that are listed for the time after the window is loaded again. */
  private keepSteps(): void {
    const listed = (key: string) => this.tasks.some((t) => key.startsWith(`${t.id}/`));
    const kept = JSON.stringify([...this.steps].filter(([key]) => listed(key)));
    if (kept !== this.kept) {
      this.kept = kept;
      void this.memory.update(stepsKey, JSON.parse(kept));
    }
  }
}
