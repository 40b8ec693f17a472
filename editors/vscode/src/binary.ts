import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

/** What a search for the server came to: the file, or why there is none. */
export type Found = { file: string } | { problem: string };

/**
 * Finds the server's program: the setting `caselsp.path`, which only the user sets, else PATH.
 * A relative path is refused: it would name a file of the project.
 */
export function findBinary(setting: string, env: NodeJS.ProcessEnv = process.env): Found {
  const given = setting.trim();
  if (given !== '') {
    const file = given.startsWith('~') ? path.join(os.homedir(), given.slice(1)) : given;
    if (!path.isAbsolute(file)) {
      return { problem: `The setting caselsp.path must be an absolute path, not "${given}".` };
    }
    return executable(file) ? { file } : { problem: `The setting caselsp.path names "${file}", which is not a program.` };
  }
  const names = process.platform === 'win32' ? ['caselsp.exe'] : ['caselsp'];
  for (const dir of (env.PATH ?? '').split(path.delimiter)) {
    // An empty or relative entry is the current folder, which may be the project.
    if (!path.isAbsolute(dir)) {
      continue;
    }
    for (const name of names) {
      const file = path.join(dir, name);
      if (executable(file)) {
        return { file };
      }
    }
  }
  return { problem: 'The program caselsp was not found on the PATH that VS Code has.' };
}

function executable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
