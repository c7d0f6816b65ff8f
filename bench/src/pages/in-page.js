// Runs in the page before the page's own scripts: when what it shows is there, and what that cost.
(() => {
  /** A change so soon after everything seemed to be there belongs to it; what is read anew later does not. */
  const SAME_MS = 150;
  /** Work on the whole of something, asked for after the page has drawn itself. */
  const BEHIND = /\/api\/management\/audit\/chain/;
  const watch = { waiting: 0, drawnAt: 0, firstDrawnAt: 0, tasks: [], frames: [] };
  Object.defineProperty(globalThis, 'floeBench', { value: watch });
  performance.setResourceTimingBufferSize(5000);
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      watch.tasks.push({ at: startTime, ms: duration });
  }).observe({ type: 'longtask', buffered: true });

  const ask = globalThis.fetch;
  globalThis.fetch = async (...given) => {
    if (BEHIND.test(String(given[0]))) return ask(...given);
    watch.waiting += 1;
    // After the timers by which the page hears of its answer.
    const done = () => setTimeout(() => setTimeout(() => (watch.waiting -= 1)));
    try {
      const answer = await ask(...given);
      if (answer.status === 204 || answer.status === 304) done();
      else
        for (const way of ['json', 'text', 'blob'])
          answer[way] = () => Response.prototype[way].call(answer).finally(done);
      return answer;
    } catch (error) {
      done();
      throw error;
    }
  };

  function isDrawn() {
    const main = document.querySelector('main');
    return main?.querySelector('h1') && !main.querySelector('[aria-label=Loading], .animate-pulse');
  }

  let changed = true;
  new MutationObserver(() => (changed = true)).observe(document, { childList: true, subtree: true });
  // A message that is sent before a frame is painted arrives after it.
  const painted = new MessageChannel();
  painted.port1.onmessage = () => {
    if (!isDrawn()) return;
    watch.drawnAt = performance.now();
    watch.firstDrawnAt ||= watch.drawnAt;
  };
  let before = 0;
  function look(at) {
    if (watch.recording) watch.frames.push(at - before);
    before = at;
    const isYoung = watch.drawnAt === 0 || performance.now() - watch.drawnAt < SAME_MS;
    if (!isDrawn() || (isYoung && watch.waiting > 0)) [watch.drawnAt, watch.firstDrawnAt] = [0, 0];
    else if (watch.drawnAt === 0 || (changed && isYoung && performance.now() - watch.firstDrawnAt < SAME_MS))
      painted.port2.postMessage(null);
    changed = false;
    requestAnimationFrame(look);
  }
  requestAnimationFrame(look);

  /** Nothing moved for so long since everything was there. */
  watch.isQuiet = (ms) => watch.drawnAt > 0 && performance.now() - watch.drawnAt > ms;
  /** What the page asked of the API until it was there, in the order of the answers. */
  watch.calls = () =>
    performance
      .getEntriesByType('resource')
      .filter(({ name, initiatorType, startTime }) => {
        return initiatorType === 'fetch' && name.includes('/api/') && startTime <= watch.drawnAt;
      })
      .map(({ name, startTime, requestStart, responseStart, responseEnd, decodedBodySize }) => {
        const { pathname, search } = new URL(name);
        const at = {
          askedMs: startTime,
          sentMs: requestStart,
          firstByteMs: responseStart,
          doneMs: responseEnd,
        };
        return { path: pathname, query: search, ...at, bytes: decodedBodySize };
      });
  watch.trouble = () => {
    const text = document.querySelector('main')?.innerText ?? '';
    return /This page broke|Could not [a-z ]+\./.exec(text)?.[0] ?? null;
  };
})();
