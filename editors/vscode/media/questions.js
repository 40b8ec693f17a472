// The page of the view "Questions". All texts are set as text: none of them is markup.
(() => {
  const editor = acquireVsCodeApi();
  const list = document.getElementById('list');
  /** After questions moved, how long none can be allowed: another button may stand under the pointer. In milliseconds. */
  const settle = 1500;
  /** By question: what was typed, since when it can be read, whether its end was in view, whether it was put off, what went wrong. */
  const known = new Map();
  let questions = [];
  let trusted = true;

  function element(tag, className, text) {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text) e.textContent = text;
    return e;
  }

  const keyOf = (q) => `${q.task}/${q.id}`;

  function decide(q, choice, extra) {
    const state = known.get(keyOf(q));
    state.sent = true;
    state.problem = '';
    editor.postMessage({ type: 'decide', task: q.task, question: q.id, choice, ...extra });
    draw();
  }

  function button(q, title, run, kind, wait) {
    const b = element('button', kind, title);
    b.type = 'button';
    const state = known.get(keyOf(q));
    b.disabled = state.sent || !trusted;
    if (wait) {
      b.dataset.waits = keyOf(q);
      offer(b);
    }
    b.addEventListener('click', run);
    return b;
  }

  /** A button that allows something can be clicked when the question can have been read, to its end. */
  function offer(b) {
    const state = known.get(b.dataset.waits);
    if (!state) return;
    const left = state.readable - Date.now();
    b.disabled = state.sent || !trusted || !state.seen || left > 0;
    b.title = state.seen ? '' : 'It can be clicked when all of the text above was in view.';
    if (left > 0) setTimeout(() => offer(b), left);
  }

  /** Notes which questions were in view to their end. */
  const ends = new IntersectionObserver((entries) => {
    for (const e of entries.filter((x) => x.isIntersecting)) {
      const key = e.target.dataset.end;
      const state = known.get(key);
      if (state) state.seen = true;
      [...list.querySelectorAll('button[data-waits]')].filter((b) => b.dataset.waits === key).forEach(offer);
    }
  });

  function field(q, name, label) {
    const state = known.get(keyOf(q));
    const wrap = element('label', 'field');
    wrap.append(element('span', '', label));
    const area = element('textarea');
    area.rows = 2;
    area.dataset.field = name;
    area.value = state[name] || '';
    area.addEventListener('input', () => { state[name] = area.value; });
    wrap.append(area);
    return wrap;
  }

  function about(q) {
    const box = element('div', 'about');
    // The question in plain words first. A program of caselsp's own, of which they say what it does, comes last.
    const asks = q.kind === 'approval' && q.asks;
    box.append(element('p', asks ? 'asks' : 'who', asks || (q.kind === 'input' ? `${q.who} asks` : 'CASE asks')));
    const what = q.what ? element('pre', 'what', q.what) : null;
    if (!what) box.append(element('p', '', q.text));
    if (what && !q.called) box.append(what);
    // The text is the whole of a question; where something else stands in its place, the rest of it follows.
    const facts = q.what ? [q.where, ...(q.gets || []), ...(q.touches || []).map((t) => `It ${t}.`), q.why].filter(Boolean) : [];
    if (facts.length > 0) {
      const ul = element('ul');
      facts.forEach((f) => ul.append(element('li', '', f)));
      box.append(ul);
    }
    if (what && q.called) box.append(element('p', '', 'What would run:'), what);
    if (q.resumes) box.append(element('p', 'hint', 'The task lies still: an answer resumes it.'));
    if (q.kind === 'input') box.append(element('p', 'hint', 'The answer goes to the model: write no password, key or token into it.'));
    const end = element('div', 'end');
    end.dataset.end = keyOf(q);
    box.append(end);
    return box;
  }

  function choices(q) {
    const state = known.get(keyOf(q));
    const box = element('div', 'choices');
    const later = button(q, 'Decide later', () => {
      state.later = true;
      editor.postMessage({ type: 'later', task: q.task, question: q.id });
      draw();
    }, 'secondary');
    box.append(later);
    const written = q.choices.findIndex((c) => c.opens);
    const denies = written >= 0 && q.choices[written].deny;
    // What is offered stands before the field for other answers.
    const order = q.choices.map((c, i) => [c, i]).sort(([a], [b]) => Number(a.opens) - Number(b.opens));
    order.forEach(([c, i]) => {
      if (c.opens) {
        if (!c.deny) {
          const send = button(q, 'Send this answer', () => decide(q, i, { text: state.answer || '' }), 'secondary');
          box.append(field(q, 'answer', 'Your answer'), send);
          if (state.problem) box.append(button(q, 'Send it: it is no secret', () => decide(q, i, { text: state.answer || '', sure: true }), 'secondary'));
        }
        return;
      }
      if (c.deny && denies) {
        box.append(field(q, 'reason', 'Why not (optional; the model is told)'));
        box.append(button(q, c.title, () => (state.reason ? decide(q, written, { text: state.reason }) : decide(q, i)), 'secondary'));
        return;
      }
      box.append(button(q, c.title, () => decide(q, i), c.allows ? 'allows' : 'secondary', c.allows));
    });
    return box;
  }

  function card(q) {
    const state = known.get(keyOf(q));
    const box = element('section', state.later ? 'question later' : 'question');
    box.dataset.question = keyOf(q);
    if (q.title) box.append(element('h2', '', q.title));
    if (state.later) {
      box.append(element('p', 'short', q.called || q.what || q.text));
      box.append(button(q, 'Show the question', () => { state.later = false; state.readable = Date.now() + q.readMs; draw(); }, 'secondary'));
      return box;
    }
    box.append(about(q), choices(q));
    if (state.sent) box.append(element('p', 'hint', 'Sent…'));
    if (state.problem) {
      const p = element('p', 'problem', state.problem);
      p.setAttribute('role', 'alert');
      box.append(p);
    }
    return box;
  }

  function draw() {
    // What is being typed into must not be replaced under the hand: its place is found again.
    const active = document.activeElement;
    const at = active && active.dataset.field ? [active.closest('section').dataset.question, active.dataset.field, active.selectionStart] : null;
    const scrolled = window.scrollY;
    ends.disconnect();
    list.replaceChildren();
    if (!trusted) list.append(element('p', 'hint', 'This window is not trusted: questions are shown and cannot be answered.'));
    if (questions.length === 0) list.append(element('p', 'hint', 'No question is open. What CASE asks you is shown here until you answer.'));
    questions.forEach((q) => list.append(card(q)));
    list.querySelectorAll('[data-end]').forEach((e) => ends.observe(e));
    window.scrollTo(0, scrolled);
    if (at) {
      const again = [...list.querySelectorAll('section')].find((s) => s.dataset.question === at[0])?.querySelector(`[data-field="${at[1]}"]`);
      if (again) {
        again.focus({ preventScroll: true });
        again.setSelectionRange(at[2], at[2]);
      }
    }
  }

  let drawn = '';
  window.addEventListener('message', ({ data }) => {
    if (data.type === 'decided') {
      const state = known.get(`${data.task}/${data.question}`);
      if (state) {
        state.sent = data.problem === '';
        state.problem = data.problem;
      }
      draw();
      return;
    }
    if (data.type !== 'questions') return;
    questions = data.questions;
    trusted = data.trusted;
    for (const q of questions) {
      if (!known.has(keyOf(q))) known.set(keyOf(q), { readable: Date.now() + q.readMs });
    }
    const open = new Set(questions.map(keyOf));
    const gone = [...known.keys()].filter((k) => !open.has(k));
    gone.forEach((k) => known.delete(k));
    if (gone.length > 0) known.forEach((state) => { state.readable = Math.max(state.readable, Date.now() + settle); });
    const now = JSON.stringify(data);
    if (now !== drawn) {
      drawn = now;
      draw();
    }
  });
  draw();
  editor.postMessage({ type: 'ready' });
})();
