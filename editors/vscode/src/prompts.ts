import { ask } from './pickers';
import { section } from './settings';

/** The argument of a command as a code action or a lens of the server gives it. */
interface Words {
  text?: string;
  uri?: string;
  why?: boolean;
  write?: boolean;
  [field: string]: unknown;
}

/** A command for which the server would open a document to be written into, and what takes its place. */
interface Prompt {
  /** Whether no text is given, and none stands in a document either. */
  wants: (words: Words) => boolean;
  title: string;
  prompt: string;
  /** The command with the text, where that is another one. */
  command?: string;
  field: string;
  /** The field that asks for the document. */
  asks?: 'why' | 'write';
}

/** The documents that are written into and sent. */
const paper = /\/(task|ask|answer|reason|note)-[^/]*\.md$/;

const writes = ' Empty: write it in a document.';

const prompts: Record<string, Prompt> = {
  new: { wants: (w) => w.uri !== undefined, title: 'CASE: Work on this place', prompt: `What should be done here?${writes}`, command: 'run', field: 'task' },
  ask: { wants: (w) => w.text === undefined && !paper.test(w.uri ?? ''), title: 'CASE: Ask about this place', prompt: `Your question about it.${writes}`, field: 'text' },
  follow: { wants: (w) => w.text === undefined, title: 'CASE: Go on from a task', prompt: `What should be done next?${writes}`, field: 'text' },
  deny: { wants: (w) => w.why === true, title: 'CASE: Deny', prompt: `Why is it denied? The model is told.${writes}`, field: 'reason', asks: 'why' },
  answer: { wants: (w) => w.write === true, title: 'CASE: Answer', prompt: `Your answer. The model reads it: no password, key or token.${writes}`, field: 'text', asks: 'write' },
};

/**
 * Asks for the text of a command for which the server would open a document, and returns the command with it. Without a text the
 * command is as it was, and the document is opened; undefined where the user gave up.
 */
export async function withText(command: string, args: unknown[]): Promise<[command: string, args: unknown[]] | undefined> {
  const words = (args[0] ?? {}) as Words;
  const prompt = prompts[command.slice(section.length + 1)];
  if (typeof words !== 'object' || prompt?.wants(words) !== true) {
    return [command, args];
  }
  const said = await ask(prompt.title, prompt.prompt);
  if (said === undefined) {
    return undefined;
  }
  if (said.trim() === '') {
    return [command, args];
  }
  const given = Object.fromEntries(Object.entries(words).filter(([name]) => name !== prompt.asks));
  return [prompt.command === undefined ? command : `${section}.${prompt.command}`, [{ ...given, [prompt.field]: said.trim() }]];
}
