// The user of the scenarios: one who opens files, uses the command palette, reads what VS Code shows, clicks and types.
//
// Nothing here waits for a time: each step waits for what must become true, with a ceiling that only a fault reaches.
const fs = require('node:fs');
const path = require('node:path');
const { chromium } = require('playwright-core');

// The slowest thing that is waited for is a container on a busy machine.
const ceiling = 120_000;
// After this time, in milliseconds, a palette that does not show a command is opened again.
const paletteLimit = 15_000;
// After this time, in milliseconds, a row that has not opened is clicked again.
const unfoldLimit = 3_000;
const address = new URL(process.env.SCENARIO_ADDRESS);
const transcript = fs.createWriteStream(process.env.SCENARIO_TRANSCRIPT, { flags: 'a' });
const note = (...words) => transcript.write(words.join(' ') + '\n');

/** The words of the scenarios. */
class User {
  constructor(page) {
    this.page = page;
    page.setDefaultTimeout(ceiling);
    page.on('console', (m) => { if (m.type() === 'error') note('console:', m.text().slice(0, 500)); });
  }

  /** Goes to the window, with a file open. */
  async window(file) {
    const host = address.host;
    if (file) {
      address.searchParams.set('payload', JSON.stringify([['openFile', `vscode-remote://${host}${path.resolve(file)}`]]));
    }
    await this.page.goto(address.href);
    await this.page.waitForSelector('.monaco-workbench');
    await this.see('the extension at work', () => this.bar());
    if (file) {
      await this.page.waitForSelector('.editor-instance .view-line');
    }
  }

  /** Waits until a condition returns something, and returns that. */
  async see(what, condition) {
    const end = Date.now() + ceiling;
    for (;;) {
      const found = await condition();
      if (found) {
        note('seen:', what);
        return found;
      }
      if (Date.now() > end) {
        throw new Error(`never seen: ${what}`);
      }
      await this.page.waitForTimeout(100);
    }
  }

  same(what, got, want) {
    if (got !== want) {
      throw new Error(`${what}\n got ${JSON.stringify(got)}\nwant ${JSON.stringify(want)}`);
    }
  }

  /** Opens a file by its name. */
  async open(file) {
    await this.page.keyboard.press('Control+P');
    const input = this.page.locator('.quick-input-widget input').first();
    await input.fill(file);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: path.basename(file) }).first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.locator('.tab.active', { hasText: path.basename(file) }).first().waitFor();
  }

  /** Goes to an editor that is open, by the whole of its name. */
  async tab(name) {
    await this.page.locator(`.tab[data-resource-name="${name}"]`).first().click();
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).first().waitFor();
  }

  /** Runs a command of the palette by its title. Then texts are typed into the boxes that it opens. */
  async command(title, ...texts) {
    note('command:', title, ...texts);
    const input = this.page.locator('.quick-input-widget input').first();
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    // An open palette learns nothing of commands that are registered later, and empties its input as it opens: on a slow
    // machine it is opened again.
    await this.see(`${title} in the palette`, async () => {
      await this.page.keyboard.press('F1');
      try {
        await input.waitFor({ timeout: paletteLimit });
        await input.fill(`>${title}`, { timeout: paletteLimit }); // an editor that opens late takes the palette away
        await row.click({ timeout: paletteLimit });
        return true;
      } catch {
        await this.page.keyboard.press('Escape');
        return false;
      }
    });
    for (const text of texts) {
      await this.box(text);
    }
  }

  /** Types into the input box that is open, and sends it. */
  async box(text) {
    const box = this.page.locator('.quick-input-widget:not([style*="display: none"]) .quick-input-box input').first();
    await this.see('an input box', async () => (await box.isVisible()) && !(await box.inputValue()).startsWith('>'));
    await box.fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** Chooses a row of the list that is open. */
  async choose(part) {
    note('chooses:', part);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: part }).first().click();
  }

  /** Opens the code actions of what is selected, and chooses one by its title. */
  async action(title) {
    const rows = this.page.locator('.action-widget .monaco-list-row');
    // A server that is busy answers late, and the list opens without its actions.
    await this.see(`${title} among the code actions`, async () => {
      await this.page.keyboard.press('Control+.');
      await this.page.locator('.action-widget').waitFor({ timeout: paletteLimit }).catch(() => undefined);
      for (let n = await rows.count(); n > 0; n--) {
        if ((await this.page.locator('.action-widget .monaco-list-row.focused').allInnerTexts()).join().includes(title)) {
          await this.page.keyboard.press('Enter');
          return true;
        }
        await this.page.keyboard.press('ArrowDown');
      }
      note('code actions:', (await rows.allInnerTexts()).join(' | '));
      await this.page.keyboard.press('Escape');
      return false;
    });
  }

  /** What the status bar says of CASE; "" where it says nothing. */
  async bar() {
    const item = this.page.locator('.statusbar-item[id="caselsp.caselsp-vscode.caselsp-vscode.status"], .statusbar-item[id*="caselsp-vscode.status"]').first();
    return (await item.count()) === 0 ? '' : (await item.innerText()).replace(/\s+/g, ' ').trim();
  }

  /** Waits until the status bar says something that fits. */
  async barSays(part) {
    let last = '';
    try {
      return await this.see(`the status bar with ${part}`, async () => {
        last = await this.bar();
        return last.includes(part) ? last : undefined;
      });
    } catch (err) {
      throw new Error(`${err.message}; it says ${JSON.stringify(last)}`);
    }
  }

  async clickBar() {
    await this.page.locator('.statusbar-item[id*="caselsp-vscode.status"]').first().click();
  }

  /** The notifications that have a part. */
  notifications(part) {
    return this.page.locator('.notifications-toasts .notification-list-item, .notifications-center .notification-list-item', { hasText: part });
  }

  /** The notification that has a part. */
  notification(part) {
    return this.notifications(part).first();
  }

  /** Waits for a notification; clicks one of its links where one is named. */
  async told(part, link) {
    const found = this.notification(part);
    await found.waitFor();
    note('notification:', await found.innerText());
    if (link) {
      await found.locator('a', { hasText: link }).first().click();
    }
  }

  /** Takes all notifications away. */
  async quiet() {
    await this.command('Notifications: Clear All Notifications');
  }

  /** The page of the view of questions. */
  questions() {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  }

  /** A question of the view whose text has a part. */
  async question(part) {
    const found = this.questions().locator('section.question', { hasText: part }).first();
    await found.waitFor();
    note('question:', await found.innerText());
    return found;
  }

  /** Clicks a button of a question when it can be clicked. */
  async decide(part, button, text) {
    const found = await this.question(part);
    if (text !== undefined) {
      await found.locator('textarea').first().fill(text);
    }
    const b = found.getByRole('button', { name: button, exact: true });
    await this.see(`${button} can be clicked`, () => b.isEnabled());
    await b.click();
    note('decided:', button);
  }

  /** A row of the view of tasks, with all parts. */
  row(part, also = '') {
    return this.page.locator('.pane-body .monaco-list-row', { hasText: part }).filter({ hasText: also }).first();
  }

  /** Opens a row of the view of tasks, until a row below it is there: one that is drawn anew just then takes no click. */
  async unfold(part, below, also = '') {
    await this.see(`${below} below ${part}`, async () => {
      if ((await this.row(below, also).count()) > 0) {
        return true;
      }
      await this.row(part).click();
      await this.page.keyboard.press('ArrowRight'); // opens it, where the click has not
      return this.row(below, also).waitFor({ timeout: unfoldLimit }).then(() => true, () => false);
    });
  }

  /** The text of the editors, as they show it. */
  async text() {
    return (await this.page.locator('.editor-instance .view-lines').allInnerTexts()).join('\n').replace(/\u00a0/g, ' ');
  }

  /** The editor that has the keyboard, or had it last. */
  active() {
    return this.page.locator('.editor-group-container.active');
  }

  /** Clicks a code lens of the active editor, the nth of its title. */
  async lens(part, n = 0) {
    const lens = this.active().locator('.codelens-decoration a', { hasText: part }).nth(n);
    await lens.waitFor();
    note('lens:', await lens.innerText());
    await lens.click();
  }

  /** How many code lenses of the active editor have a title. */
  lenses(part) {
    return this.active().locator('.codelens-decoration a', { hasText: part }).count();
  }

  disk(file) {
    try {
      return fs.readFileSync(file, 'utf8');
    } catch {
      return undefined;
    }
  }

  /** Takes a picture for the documentation, where those are wanted. */
  async picture(name) {
    if (process.env.SCENARIO_PICTURES) {
      await this.page.screenshot({ path: path.join(process.env.SCENARIO_PICTURES, `${name}.png`) });
    }
  }
}

(async () => {
  const browser = await chromium.launch({
    executablePath: process.env.SCENARIO_CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const user = new User(await context.newPage());
  let failed;
  try {
    await require(process.env.SCENARIO)(user);
  } catch (err) {
    failed = err;
    note('failed:', err.stack);
    note('status bar:', await user.bar().catch(() => ''));
    note('questions:', await user.questions().locator('body').innerText({ timeout: 1000 }).catch(() => ''));
    note('notifications:', (await user.page.locator('.notification-list-item').allInnerTexts().catch(() => [])).join('\n---\n'));
    if (process.env.SCENARIO_FAILED) {
      await user.page.screenshot({ path: process.env.SCENARIO_FAILED }).catch(() => undefined);
    }
  }
  await browser.close();
  transcript.end();
  if (failed) {
    console.error(failed.stack);
    process.exitCode = 1;
  }
})();
