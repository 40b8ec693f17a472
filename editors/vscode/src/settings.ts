import * as vscode from 'vscode';

/** The section of all settings. */
export const section = 'caselsp';

/** The settings that the server knows: the second block of package.json's configuration, generated from its table. */
function serverSettings(context: vscode.ExtensionContext): string[] {
  const manifest = context.extension.packageJSON as { contributes: { configuration: { id?: string; properties: object }[] } };
  const block = manifest.contributes.configuration.find((c) => c.id === 'server');
  return Object.keys(block?.properties ?? {}).map((name) => name.slice(section.length + 1));
}

/**
 * What is sent to the server: only what somebody has set. VS Code fills in the defaults of this extension otherwise, and
 * they would replace what stands in caselsp's own settings.json.
 */
export function settingsFor(context: vscode.ExtensionContext, scope: vscode.Uri | undefined): Record<string, unknown> {
  const all = vscode.workspace.getConfiguration(section, scope ?? null);
  const set: Record<string, unknown> = {};
  for (const name of serverSettings(context)) {
    const found = all.inspect(name);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    if (value !== undefined) {
      set[name] = value;
    }
  }
  return set;
}

/** The settings of this extension alone. */
interface Own {
  path: string;
  'vscode.questions': 'notification' | 'view';
  'vscode.reminder': number;
  'vscode.sound': boolean;
}

/** What a setting of this extension alone is; package.json has its default. */
export function own<Name extends keyof Own>(name: Name, otherwise: Own[Name]): Own[Name] {
  return vscode.workspace.getConfiguration(section).get<Own[Name]>(name) ?? otherwise;
}
