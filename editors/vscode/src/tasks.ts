import * as vscode from 'vscode';
import { type Board, deed } from './board';
import { type Feature, type FileCount, type Note, type Step, type Task, cost, counted, isOpen, subject, tokens } from './data';
import { type Reviews, short } from './review';

/** What stands in a row of the view. */
type Node =
  | { kind: 'task'; task: Task }
  | { kind: 'now'; task: Task }
  | { kind: 'feature'; task: Task; feature: Feature; index: number }
  | { kind: 'round'; task: Task; index: number; round: number; steps: Step[] }
  | { kind: 'earlier'; task: Task; index: number; round: number; before: number }
  | { kind: 'step'; task: Task; step: Step }
  | { kind: 'files'; task: Task }
  | { kind: 'file'; task: Task; file: FileCount }
  | { kind: 'noted'; task: Task; note: Note }
  | { kind: 'note'; id: string; label: string; icon: string; tooltip: string };

/** The icon of each state; the rest work. */
const icons: Record<string, [icon: string, color?: string]> = {
  waiting: ['bell-dot', 'list.warningForeground'],
  review: ['diff', 'charts.blue'],
  succeeded: ['pass', 'testing.iconPassed'],
  failed: ['error', 'testing.iconFailed'],
  rejected: ['circle-slash'],
  paused: ['debug-pause'],
  stopped: ['debug-stop'],
};

/** A state as an icon. */
export function stateIcon(task: Task): vscode.ThemeIcon {
  const waits = task.questions.length > 0 ? 'waiting' : task.interrupted ? 'paused' : task.state;
  const [icon, color] = icons[waits] ?? ['sync~spin'];
  return new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
}

/** The view of tasks: what each is, what it does at the moment, its plan and its changed files. */
export class TaskView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(
    private readonly board: Board,
    private readonly reviews: Reviews,
  ) {
    this.view = vscode.window.createTreeView('caselsp-vscode.tasks', { treeDataProvider: this, showCollapseAll: true });
    this.view.message = 'Reading the tasks…';
    this.view.onDidChangeVisibility((e) => {
      if (e.visible) {
        board.refresh();
      }
    });
    this.subscriptions = [
      board.onChanged(() => {
        this.view.message = board.problem;
        void vscode.commands.executeCommand('setContext', 'caselsp-vscode.answered', board.answered);
        this.emitter.fire(undefined);
      }),
      reviews.onReviews(() => this.emitter.fire(undefined)),
    ];
  }

  dispose(): void {
    this.view.dispose();
    for (const s of this.subscriptions) {
      s.dispose();
    }
    this.emitter.dispose();
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      return this.board.tasks.map((task) => ({ kind: 'task', task }));
    }
    switch (node.kind) {
      case 'task':
        return this.partsOf(node.task);
      case 'feature':
        return this.roundsOf(node.task, node.index);
      case 'round':
        return [...earlierOf(node), ...node.steps.map((step): Node => ({ kind: 'step', task: node.task, step }))];
      case 'files':
        return node.task.files.map((file) => ({ kind: 'file', task: node.task, file }));
      default:
        return [];
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case 'task':
        return taskItem(node.task, node.task === this.board.tasks[0], this.reviews.undone(node.task.id));
      case 'now':
        return nowItem(node.task);
      case 'feature':
        return featureItem(node.task, node.feature, node.index, this.roundsOf(node.task, node.index).length > 0);
      case 'round': {
        const item = new vscode.TreeItem(`Round ${node.round}`, vscode.TreeItemCollapsibleState.Expanded);
        item.id = `${node.task.id}/${node.index}/${node.round}`;
        item.description = counted(Math.max(...node.steps.map((s) => s.step)), 'step');
        item.iconPath = new vscode.ThemeIcon('history');
        return item;
      }
      case 'earlier': {
        const item = new vscode.TreeItem(`${counted(node.before, 'earlier step')}: see the report`);
        item.id = `${node.task.id}/${node.index}/${node.round}/earlier`;
        item.iconPath = new vscode.ThemeIcon('output');
        item.tooltip = 'Only the latest stand here.';
        item.command = { title: 'Show the report', command: 'caselsp-vscode.report', arguments: [{ task: node.task.id }] };
        return item;
      }
      case 'step':
        return stepItem(node.task, node.step);
      case 'files':
        return filesItem(node.task);
      case 'file':
        return fileItem(node.task, node.file, this.decidedOf(node.task, node.file));
      case 'noted':
        return notedItem(node.task, node.note);
      case 'note': {
        const item = new vscode.TreeItem(node.label);
        item.id = node.id;
        item.iconPath = new vscode.ThemeIcon(node.icon);
        item.tooltip = node.tooltip;
        return item;
      }
    }
  }

  /** How many hunks of a file are open, accepted and rejected: as its review has them, where one is known. */
  private decidedOf(task: Task, file: FileCount): Decided {
    const hunks = this.reviews.get(task.id)?.files.find((f) => f.path === file.path && f.kept === undefined)?.hunks;
    if (hunks === undefined) {
      return { open: file.open ?? 0, accepted: file.accepted ?? 0, rejected: file.rejected ?? 0 };
    }
    const count = (state: string) => hunks.filter((h) => h.state === state).length;
    return { open: hunks.filter(isOpen).length, accepted: count('accepted'), rejected: count('rejected') };
  }

  private partsOf(task: Task): Node[] {
    const list: Node[] = [];
    if (task.questions.length > 0 || task.here) {
      list.push({ kind: 'now', task });
    }
    if (task.reason !== '') {
      list.push({ kind: 'note', id: `${task.id}/reason`, label: task.reason, icon: 'info', tooltip: task.reason });
    }
    const before = (task.acceptedBefore ?? []).join(', ');
    if (before !== '') {
      const tooltip = `Accepted before the task was tried again: ${before}`;
      list.push({ kind: 'note', id: `${task.id}/before`, label: `Accepted before: ${before}`, icon: 'check', tooltip });
    }
    for (const note of this.reviews.get(task.id)?.notes ?? []) {
      list.push({ kind: 'noted', task, note });
    }
    task.plan.forEach((feature, index) => list.push({ kind: 'feature', task, feature, index }));
    if (task.files.length > 0) {
      list.push({ kind: 'files', task });
    }
    for (const k of task.kept) {
      list.push({ kind: 'note', id: `${task.id}/kept/${k.id}`, label: `Kept, not verified: ${k.title}`, icon: 'archive', tooltip: k.reason });
    }
    return list;
  }

  private roundsOf(task: Task, index: number): Node[] {
    const rounds = new Map<number, Step[]>();
    for (const step of task.plan[index]?.steps ?? []) {
      rounds.set(step.round, [...(rounds.get(step.round) ?? []), step]);
    }
    return [...rounds].map(([round, steps]) => ({ kind: 'round', task, index, round, steps }));
  }
}

/** The row for the steps of a round before those that are listed; none where all are. */
function earlierOf(node: { task: Task; index: number; round: number; steps: Step[] }): Node[] {
  const before = (node.steps.find((s) => s.step > 0)?.step ?? 1) - 1;
  return before > 0 ? [{ kind: 'earlier', task: node.task, index: node.index, round: node.round, before }] : [];
}

/** How much of a title stands in a row of the view, in characters: what is behind it is to be seen, too. */
const rowText = 30;

function taskItem(task: Task, first: boolean, undone: number): vscode.TreeItem {
  const open = task.here || task.questions.length > 0 || task.state === 'review' || first;
  const item = new vscode.TreeItem(short(task.title, rowText), open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed);
  item.id = task.id;
  const used = task.tokens > 0 ? tokens(task.tokens) : '';
  const gone = undone === 0 ? '' : `${counted(undone, 'hunk')} no longer in the file`;
  item.description = [task.interrupted ? 'interrupted' : task.state, gone, used, cost(task)].filter((s) => s !== '').join(' · ');
  item.iconPath = stateIcon(task);
  // The menus of package.json look for the ids of commands in it.
  item.contextValue = ['task', ...task.can.map((id) => id.replace(/^caselsp\./, ''))].join(' ');
  const tip = new vscode.MarkdownString();
  tip.appendText(task.text);
  tip.appendMarkdown('\n\n---\n\n');
  tip.appendText([task.line, task.outcome, task.id].filter((s) => s !== '').join('\n'));
  item.tooltip = tip;
  item.accessibilityInformation = { label: `${task.title}: ${task.state}` };
  return item;
}

/** What the task does, or waits for. */
function nowItem(task: Task): vscode.TreeItem {
  const question = task.questions[0];
  if (question !== undefined) {
    const item = new vscode.TreeItem('Waits for your answer');
    item.description = subject(question);
    item.iconPath = new vscode.ThemeIcon('comment-unresolved', new vscode.ThemeColor('list.warningForeground'));
    item.tooltip = question.text;
    item.command = { title: 'Show the questions', command: 'caselsp-vscode.questions' };
    return item;
  }
  const item = new vscode.TreeItem(deed(task) === '' ? task.state : deed(task));
  item.description = task.thought;
  item.tooltip = [task.line, task.thought].filter((s) => s !== '').join('\n');
  item.iconPath = new vscode.ThemeIcon('arrow-right');
  return item;
}

const featureIcons: Record<string, [icon: string, color?: string]> = {
  open: ['circle-outline'],
  working: ['sync~spin'],
  done: ['pass', 'testing.iconPassed'],
  failed: ['error', 'testing.iconFailed'],
};

/** The only feature of a task, in a word: its title would repeat that of the task. */
const featureWords: Record<string, string> = { open: 'Not begun', working: 'Work', done: 'Done', failed: 'Failed' };

/** Reports whether the only feature of a task is the task. */
function repeats(task: Task): boolean {
  const feature = task.plan.length === 1 ? task.plan[0] : undefined;
  const said = (text: string) => text.replace(/[“”]|…/g, '').trim().toLowerCase();
  return feature !== undefined && (said(feature.title).startsWith(said(task.title)) || said(task.title).startsWith(said(feature.title)));
}

function featureItem(task: Task, f: Feature, index: number, children: boolean): vscode.TreeItem {
  const item = new vscode.TreeItem(
    repeats(task) ? (featureWords[f.state] ?? f.state) : `${index + 1}. ${short(f.title, rowText)}`,
    children ? (f.state === 'working' ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed) : vscode.TreeItemCollapsibleState.None,
  );
  item.id = `${task.id}/${index}/${f.state}`; // another one when it is done: it is closed then
  const parts = [];
  if (f.state === 'working') {
    parts.push(`round ${f.round}, step ${task.step}`);
  }
  if (f.attempt > 1) {
    parts.push(`attempt ${f.attempt}`);
  }
  if (f.tests !== '') {
    parts.push(f.tests);
  }
  item.description = parts.join(', ');
  const [icon, color] = featureIcons[f.state === 'working' && !task.here ? 'open' : f.state] ?? ['circle-outline'];
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  item.tooltip = [f.title, f.state === 'working' ? `round ${f.round} of at most ${task.rounds}` : '', f.reason, f.tests].filter((s) => s !== '').join('\n');
  return item;
}

/** A step; a click shows what the task does, with the step's thought, output and diff. */
function stepItem(task: Task, step: Step): vscode.TreeItem {
  const item = new vscode.TreeItem(step.step === 0 ? step.doing : `${step.step}. ${step.doing}`);
  item.tooltip = [step.doing, step.about ?? '', step.thought ?? ''].filter((s, i, all) => s !== '' && all.indexOf(s) === i).join('\n');
  item.command = { title: 'Show what the task does', command: 'caselsp-vscode.activity', arguments: [{ task: task.id }] };
  item.iconPath = new vscode.ThemeIcon('chevron-right');
  return item;
}

function filesItem(task: Task): vscode.TreeItem {
  const added = task.files.reduce((n, f) => n + f.added, 0);
  const removed = task.files.reduce((n, f) => n + f.removed, 0);
  const item = new vscode.TreeItem(counted(task.files.length, 'changed file'), vscode.TreeItemCollapsibleState.Expanded);
  item.id = `${task.id}/files`;
  const rejected = task.files.reduce((n, f) => n + (f.rejected ?? 0), 0);
  item.description = [`+${added} −${removed}`, rejected === 0 ? '' : `${rejected} rejected`].filter((s) => s !== '').join(', ');
  item.iconPath = new vscode.ThemeIcon('files');
  return item;
}

/** A note that was not sent back yet. */
function notedItem(task: Task, note: Note): vscode.TreeItem {
  const { file, hunk } = note;
  const item = new vscode.TreeItem(file === undefined ? 'Note on the result' : `Note on ${hunk === undefined ? '' : `hunk ${hunk} of `}${file}`);
  item.id = `${task.id}/noted/${file ?? ''}/${hunk ?? 0}`;
  item.description = note.text;
  item.tooltip = note.text;
  item.iconPath = new vscode.ThemeIcon('comment');
  item.contextValue = 'noted';
  item.command = { title: 'Change the note', command: 'caselsp-vscode.note', arguments: [{ task: task.id, file, hunk }] };
  return item;
}

/** How many hunks of a file are in which state. */
interface Decided {
  open: number;
  accepted: number;
  rejected: number;
}

/** What is left to decide of a file, and what of it was accepted; "" where nothing can be decided yet. What is rejected stands with its size. */
function stateOf(task: Task, d: Decided): string {
  if (!task.can.includes('caselsp.review')) {
    return '';
  }
  const accepted = d.open + d.rejected === 0 ? 'accepted' : `${d.accepted} accepted`;
  return [d.open === 0 ? '' : `${d.open} open`, d.accepted === 0 ? '' : accepted].filter((s) => s !== '').join(', ');
}

function fileItem(task: Task, f: FileCount, decided: Decided): vscode.TreeItem {
  const [name = f.path, ...folders] = f.path.split('/').reverse();
  const item = new vscode.TreeItem(name);
  item.id = `${task.id}/file/${f.path}`;
  item.resourceUri = vscode.Uri.parse(f.uri);
  item.iconPath = vscode.ThemeIcon.File;
  item.description = [[stateOf(task, decided), sizeOf(f)].filter((s) => s !== '').join(', '), folders.reverse().join('/')].filter((s) => s !== '').join(' · ');
  item.tooltip = f.from === undefined || f.from === '' ? f.path : `${f.from} → ${f.path}`;
  // What is rejected can be accepted after all.
  const decidable = decided.open > 0 ? 'open' : decided.rejected > 0 ? 'rejected' : '';
  item.contextValue = task.can.includes('caselsp.review') ? `file ${decidable}` : 'file';
  item.command = { title: 'Show the change', command: 'caselsp-vscode.reviewFile', arguments: [{ task: task.id, file: f.path }] };
  return item;
}

/** How much of a file changes, and what of it the user did not want. */
function sizeOf(f: FileCount): string {
  if (f.allRejected === true) {
    return `rejected${f.kind === 'changed' ? '' : ', not ' + f.kind}`;
  }
  const size = f.binary === true ? 'binary' : `+${f.added} −${f.removed}`;
  const rejected = f.rejected === undefined ? '' : `${f.rejected} rejected`;
  return [size, f.kind === 'changed' && f.binary !== true ? '' : f.kind, rejected].filter((s) => s !== '').join(', ');
}
