import * as vscode from 'vscode';
import { section } from './settings';

/** A path of a file, and the line of it that may be named. What follows a slash is a part of an address. */
const place = /(?<![\w./:@-])((?:[\w.@+-]+\/)*[\w@+-][\w.@+-]*\.\w+)(?::(\d+))?/g;

/** The most names of one document that are looked up on disk. */
const maxNames = 200;

/** In the documents of the server, the files of the project that are named lead to them, at the line that is named. */
export class Links implements vscode.DocumentLinkProvider, vscode.Disposable {
  private readonly registration = vscode.languages.registerDocumentLinkProvider({ scheme: section }, this);

  async provideDocumentLinks(document: vscode.TextDocument): Promise<vscode.DocumentLink[]> {
    const files = new Map<string, vscode.Uri | undefined>();
    const links: vscode.DocumentLink[] = [];
    const text = document.getText();
    for (const match of text.matchAll(place)) {
      const [whole, name = '', line] = match;
      if (!files.has(name)) {
        if (files.size === maxNames) {
          continue;
        }
        files.set(name, await fileOf(name));
      }
      const file = files.get(name);
      if (file !== undefined) {
        const range = new vscode.Range(document.positionAt(match.index), document.positionAt(match.index + whole.length));
        links.push(new vscode.DocumentLink(range, line === undefined ? file : file.with({ fragment: `L${line}` })));
      }
    }
    return links;
  }

  dispose(): void {
    this.registration.dispose();
  }
}

/** The file of a name in the folders of the window; undefined where there is none. */
async function fileOf(name: string): Promise<vscode.Uri | undefined> {
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const uri = vscode.Uri.joinPath(folder.uri, name);
    const inside = uri.path.startsWith(folder.uri.path.replace(/\/?$/, '/'));
    try {
      if (inside && ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0) {
        return uri;
      }
    } catch {
      // another folder may have it
    }
  }
  return undefined;
}
