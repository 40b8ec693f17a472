/**
 * What the server answers to plugins ({"format": "data"}): see "For plugins" in lsp/README.md.
 * Texts of models, commands and files are marked as such by the server; they are shown as text, never as markup.
 */

export interface FileCount {
  path: string;
  from?: string;
  uri: string;
  kind: string;
  binary?: boolean;
  /** Lines, without those of hunks that are rejected. */
  added: number;
  removed: number;
  /** Hunks by what was decided. */
  open?: number;
  accepted?: number;
  rejected?: number;
  allRejected?: boolean;
}

export interface Feature {
  id: string;
  title: string;
  state: string;
  reason: string;
  attempt: number;
  round: number;
  tests: string;
  steps?: Step[];
}

/** An action in the work on a feature. */
export interface Step {
  round: number;
  /** From 1; 0: it costs no step, as the tests that caselsp runs. */
  step: number;
  doing: string;
  about?: string;
  thought?: string;
}

export interface Kept {
  id: string;
  title: string;
  reason: string;
  files: string[] | null;
}

export interface Choice {
  title: string;
  command: string;
  arguments: unknown;
  allows: boolean;
  opens: boolean;
}

export interface Question {
  id: string;
  task: string;
  kind: string;
  text: string;
  /** The question in plain words. */
  asks?: string;
  what: string;
  /** What is asked about in a few words, where it is a program of caselsp's own. */
  called?: string;
  /** The task lies still: an answer resumes it. */
  resumes?: boolean;
  who: string;
  where: string;
  touches: string[];
  gets: string[];
  why: string;
  secret?: string;
  answers: string[];
  choices: Choice[];
  readMs: number;
}

export interface Task {
  id: string;
  title: string;
  text: string;
  class: string;
  state: string;
  interrupted: boolean;
  here: boolean;
  line: string;
  reason: string;
  outcome: string;
  feature: number;
  features: number;
  featureTitle: string;
  attempt: number;
  round: number;
  rounds: number;
  step: number;
  action: string;
  file: string;
  command: string;
  /** The action in a few words. */
  doing?: string;
  thought: string;
  tokens: number;
  cost: number;
  estimated: boolean;
  started: string;
  changed: string;
  questions: Question[];
  files: FileCount[];
  /** Files, before the task was tried again. */
  acceptedBefore?: string[];
  analysis: string;
  plan: Feature[];
  kept: Kept[];
  can: string[];
}

export interface StatusData {
  version: number;
  tasks: Task[];
  /** The settings of which a value of this editor waits to be confirmed. */
  unconfirmed?: string[];
}

export interface QuestionsData {
  version: number;
  questions: Question[];
}

export interface Place {
  line: number;
  character: number;
}

export interface Hunk {
  id: string;
  /** Its number, from 1; 0: the file is decided as a whole. */
  hunk: number;
  state: string;
  range: { start: Place; end: Place } | null;
  old: string[];
  new: string[];
}

export interface ReviewFile {
  path: string;
  from?: string;
  uri: string;
  fromUri?: string;
  kind: string;
  state: string;
  whole: boolean;
  binary: boolean;
  kept?: string;
  unfit?: string;
  obeyed: { by: string; asks: boolean };
  diff: string;
  hunks: Hunk[];
  texts?: { before: string | null; after: string | null; merged: string | null };
}

export interface Note {
  file?: string;
  hunk?: number;
  text: string;
}

export interface Review {
  version: number;
  task: string;
  title: string;
  state: string;
  open: number;
  document: string;
  untested: string[];
  /** What the user wrote about hunks, files (no hunk) or all of the result (no file), not sent back yet. */
  notes?: Note[];
  files: ReviewFile[];
}

/** What a question is about, in a row or a title. */
export function subject(q: Question): string {
  return q.called ?? (q.what === '' ? q.text : `“${q.what}”`);
}

/** Reports whether a hunk is still to be decided. */
export function isOpen(hunk: Hunk): boolean {
  return hunk.state === 'pending' || hunk.state === 'conflict';
}

/** The version of the data that this extension reads. */
export const dataVersion = 1;

/** Reports whether an answer is data that this extension can read. */
export function readable(answer: unknown): answer is { version: typeof dataVersion } {
  return typeof answer === 'object' && answer !== null && (answer as { version?: unknown }).version === dataVersion;
}

/** A number of tokens in few characters. */
export function tokens(n: number): string {
  if (n < 1000) {
    return `${n} tokens`;
  }
  return n < 1_000_000 ? `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)}k tokens` : `${(n / 1_000_000).toFixed(1)}M tokens`;
}

/** What a task has cost, "" where nothing is known. */
export function cost(task: Pick<Task, 'cost' | 'estimated'>): string {
  return task.cost > 0 ? `${task.estimated ? '~' : ''}$${task.cost.toFixed(task.cost < 1 ? 3 : 2)}` : '';
}

/** A count with its noun. */
export function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
