import type { CallInput } from '#contract/client.ts';
import type { WhatIfChanges } from '#engine/lab/what-if/changes.ts';
import { api } from '../../../api/api.ts';
import { messageOf } from '../../../api/api-error.ts';
import type { Answer, HistoryNames, ToWorker, WhatIfSetup } from './messages.ts';
import type { Answerer } from './replay-desk.ts';

type Body = CallInput<'whatIfAnswer'>['body'];

/** Candles by the names that a setup has for them. */
export type PackedHistories = ReadonlyMap<string, ArrayBuffer>;

/** Answers in a worker of this browser. */
export function inBrowser(
  setup: WhatIfSetup,
  names: HistoryNames,
  histories: PackedHistories,
  start: () => Worker,
): (answer: (answer: Answer) => void) => Answerer {
  return (answer) => {
    const worker = start();
    let asked = 0;
    const post = (message: ToWorker): void => worker.postMessage(message);
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => answer(data));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      answer({ kind: 'failed', id: asked, fault: 'The calculation could not be started in this browser, or has ended.' });
    });
    for (const [name, packed] of histories) post({ kind: 'history', name, packed });
    return {
      ask(id, changes) {
        asked = id;
        post(changes === null ? { kind: 'begin', id, setup, names } : { kind: 'replay', id, changes });
      },
      close: () => worker.terminate(),
    };
  };
}

/** How soon is asked again while the server downloads candles, in ms. */
const againMs = 2_000;

/** Answers by asking the server. */
export function byServer(subject: Omit<Body, 'changes'>): (answer: (answer: Answer) => void) => Answerer {
  return (answer) => {
    const closing = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (id: number, changes: WhatIfChanges): Promise<void> => {
      try {
        const reply = await api.whatIfAnswer({ body: { ...subject, changes: toBody(changes) } }, { signal: closing.signal });
        if (reply.report !== null) answer({ kind: 'replayed', id, report: reply.report, tookMs: reply.took_ms ?? 0 });
        else if (reply.state === 'downloading') {
          answer({ kind: 'waiting', id, text: `Downloading candles. ${reply.why ?? ''}` });
          timer = setTimeout(() => void ask(id, changes), againMs);
        } else answer({ kind: 'refused', id, reasons: [reply.why ?? ''] });
      } catch (error) {
        if (!closing.signal.aborted) answer({ kind: 'failed', id, fault: messageOf(error) });
      }
    };
    return {
      ask: (id, changes) => void ask(id, changes ?? {}),
      close() {
        clearTimeout(timer);
        closing.abort();
      },
    };
  };
}

/** The changes as the call takes them. */
export function toBody({ trailingStop, trailingOffset, roiAtOnce, maxOpenTrades, ...same }: WhatIfChanges): Body['changes'] {
  const all = {
    ...same,
    trailing_stop: trailingStop,
    trailing_offset: trailingOffset,
    roi_at_once: roiAtOnce,
    max_open_trades: maxOpenTrades,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
