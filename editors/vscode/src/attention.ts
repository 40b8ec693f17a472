import { spawn } from 'node:child_process';
import * as vscode from 'vscode';
import type { Board } from './board';
import { type Question, type Task, cost, counted, subject, tokens } from './data';
import type { Messages } from './messages';
import { plain } from './notify';
import type { Reviews } from './review';
import type { Server } from './server';
import { own } from './settings';

/** How much of a text stands in the status bar, in characters. */
const barText = 40;
const minute = 60_000;

/** Says where the tasks are, and that one waits: the status bar, a reminder, a sound where that is wanted. */
export class Attention implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('caselsp-vscode.status', vscode.StatusBarAlignment.Left, 10);
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private readonly reminder: NodeJS.Timeout;
  /** The questions that were heard of, and when the user was last told. */
  private readonly told = new Map<string, number>();
  /** What waits since an earlier session was told. */
  private greeted = false;

  constructor(
    private readonly server: Server,
    private readonly board: Board,
    private readonly reviews: Reviews,
    private readonly messages: Messages,
    private readonly reveal: () => void,
  ) {
    this.item.name = 'CASE';
    this.subscriptions = [
      this.item,
      board.onChanged(() => this.update()),
      reviews.onReviews(() => this.update()),
      server.onState(() => this.update()),
    ];
    this.reminder = setInterval(() => this.remind(), minute);
    this.update();
    this.item.show();
  }

  dispose(): void {
    clearInterval(this.reminder);
    for (const s of this.subscriptions) {
      s.dispose();
    }
  }

  private update(): void {
    this.noteQuestions();
    this.greet();
    const look = this.look();
    this.item.text = look.text;
    this.item.tooltip = look.tooltip;
    this.item.command = look.command;
    this.item.backgroundColor = look.warning === true ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.item.accessibilityInformation = { label: look.text.replace(/\$\([^)]*\)/g, '').trim() };
  }

  private look(): { text: string; tooltip: string; command: string; warning?: boolean } {
    const first = this.board.questions[0];
    if (this.server.problem !== '') {
      return { text: '$(warning) CASE: not running', tooltip: this.server.problem, command: 'caselsp-vscode.output', warning: true };
    }
    if (first !== undefined) {
      const more = this.board.questions.length > 1 ? ` (+${this.board.questions.length - 1})` : '';
      return {
        text: `$(bell-dot) CASE asks: ${brief(first)}${more}`,
        tooltip: `${first.text}\n\nClick to see the question. Nothing happens until you answer.`,
        command: 'caselsp-vscode.questions',
        warning: true,
      };
    }
    const gone = this.board.tasks.reduce((n, t) => n + this.reviews.undone(t.id), 0);
    const hunks = this.reviews.pending().length - gone;
    const review = [hunks > 0 ? `${counted(hunks, 'hunk')} to review` : '', gone > 0 ? `${counted(gone, 'accepted hunk')} no longer in the file` : ''].filter((s) => s !== '').join(', ');
    const also = review === '' ? '' : ` · $(diff) ${review}`;
    const works = this.board.tasks.filter((t) => t.here);
    if (works.length > 1) {
      const lines = works.map((t) => `${t.title}\n${t.line}`);
      return { text: `$(sync~spin) CASE: ${counted(works.length, 'task')}${also}`, tooltip: [...lines, review].filter((s) => s !== '').join('\n\n'), command: 'caselsp-vscode.tasks.focus' };
    }
    const task = this.board.current();
    if (task?.here === true) {
      return { text: `$(sync~spin) CASE ${working(task)}${also}`, tooltip: `${task.title}\n${task.line}${review === '' ? '' : `\n\n${review}`}`, command: 'caselsp-vscode.tasks.focus' };
    }
    if (review !== '') {
      return { text: `$(diff) CASE: ${review}`, tooltip: 'Click to review', command: 'caselsp-vscode.review' };
    }
    const still = this.board.still();
    if (still !== undefined) {
      const state = still.interrupted ? 'interrupted' : still.state;
      return { text: `$(debug-pause) CASE: a task is ${state}`, tooltip: `${still.title}\n${still.reason}\n\nClick to see it, and to resume it.`, command: 'caselsp-vscode.tasks.focus' };
    }
    const waiting = this.board.unconfirmed;
    if (waiting.length > 0) {
      return { text: `$(warning) CASE: ${counted(waiting.length, 'setting')} to confirm`, tooltip: `Not used yet: ${waiting.join(', ')}`, command: 'caselsp-vscode.settings' };
    }
    return { text: '$(robot) CASE', tooltip: this.board.problem === '' ? 'No task is under way' : this.board.problem, command: 'caselsp-vscode.tasks.focus' };
  }

  /** Tells once of a result that waits since an earlier session; of a task that is not finished, the server asks. */
  private greet(): void {
    if (this.greeted || !this.board.answered) {
      return;
    }
    this.greeted = true;
    const waiting = this.board.tasks.find((t) => t.state === 'review' && !t.here);
    if (waiting !== undefined) {
      void this.messages.tellResult(waiting, `CASE: a result waits for your review: ${waiting.title}`, false);
    }
  }

  /** A question that is new is heard where the user wants that, and one that is gone is forgotten. */
  private noteQuestions(): void {
    const open = new Set(this.board.questions.map(keyOf));
    for (const key of [...this.told.keys()].filter((k) => !open.has(k))) {
      this.told.delete(key);
    }
    const fresh = this.board.questions.filter((q) => !this.told.has(keyOf(q)));
    for (const q of fresh) {
      this.told.set(keyOf(q), Date.now());
    }
    if (fresh.length === 0) {
      return;
    }
    if (own('vscode.sound', false)) {
      sound((problem) => this.server.output.info(`no sound: ${problem}`));
    }
    if (own('vscode.questions', 'notification') === 'view') {
      this.reveal();
    }
  }

  /** Shows again what has waited for long. */
  private remind(): void {
    const after = own('vscode.reminder', 5) * minute;
    const now = Date.now();
    const old = this.board.questions.find((q) => after > 0 && now - (this.told.get(keyOf(q)) ?? now) >= after);
    if (old === undefined || !vscode.window.state.focused) {
      return;
    }
    this.told.set(keyOf(old), now);
    void vscode.window.showWarningMessage(`${plain(subject(old))}. CASE still waits for your answer.`, 'Not now', 'Show the question').then((chosen) => {
      if (chosen === 'Show the question') {
        void vscode.commands.executeCommand('caselsp-vscode.questions');
      }
    });
  }
}

const keyOf = (q: Question) => `${q.task}/${q.id}`;

function brief(q: Question): string {
  // "$(name)" would be an icon.
  const line = subject(q).replace(/\s+/g, ' ').replace(/\$\(/g, '$ (');
  return line.length > barText ? `${line.slice(0, barText)}…` : line;
}

/** Where a task is, in a few words: state first, then the numbers. */
function working(task: Task): string {
  const feature = task.features > 1 ? `${task.feature}/${task.features}` : '';
  return [[task.state, feature].filter((s) => s !== '').join(' '), task.tokens > 0 ? tokens(task.tokens) : '', cost(task)].filter((s) => s !== '').join(' · ');
}

/** What plays a short sound on each system. VS Code itself offers extensions none. */
const players: Partial<Record<NodeJS.Platform, [program: string, args: string[]]>> = {
  darwin: ['afplay', ['/System/Library/Sounds/Glass.aiff']],
  linux: ['canberra-gtk-play', ['--id', 'message']],
  win32: ['powershell.exe', ['-NoProfile', '-Command', '[System.Media.SystemSounds]::Asterisk.Play()']],
};

function sound(failed: (problem: string) => void): void {
  const player = players[process.platform];
  if (player === undefined) {
    return;
  }
  spawn(player[0], player[1], { stdio: 'ignore' }).on('error', (err) => failed(err.message));
}
