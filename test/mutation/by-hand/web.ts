import type { Mutant } from './mutant.ts';
import { browser, unit } from './mutant.ts';

/** What people see of their money, and what they press. */
export const web: readonly Mutant[] = [
  {
    name: 'decided-about-what-was-shown-before',
    harm: 'After the amounts have changed every press is refused, or the person decides on others than shown.',
    file: 'src/web/differences/decide.tsx',
    find: 'const { id, expected, actual } = seen;',
    replace: 'const { id, expected, actual } = difference;',
    ...browser('src/web/differences/differences'),
  },
  {
    name: 'another-key-with-each-try',
    harm: 'A change whose answer is lost on the way is made twice.',
    file: 'src/web/api/send.ts',
    find: 'const response = await fetch(`${basePath}${path}`, init);',
    replace:
      "const response = await fetch(`${basePath}${path}`, { ...init, headers: { ...init.headers, ...(init.method === 'GET' ? {} : { 'Idempotency-Key': crypto.randomUUID() }) } });",
    ...browser('src/web/api/send'),
  },
  {
    name: 'export-goes-on-after-its-page',
    harm: 'A file with the audit log appears after its page was left.',
    file: 'src/web/audit/use-audit-export.ts',
    find: 'useEffect(() => () => running.current?.abort(), []);',
    replace: 'useEffect(() => () => undefined, []);',
    ...browser('src/web/audit/audit'),
  },
  {
    name: 'refused-change-sent-again',
    harm: 'A change that the server has seen and failed with is sent a second time.',
    file: 'src/web/api/retry.ts',
    find: "return method === 'GET' && (error.status >= 500",
    replace: 'return (error.status >= 500',
    ...unit('src/web/api/retry'),
  },
  {
    name: 'close-all-without-its-words',
    harm: 'Everything is sold by one press too many.',
    file: 'src/web/trading/close-all.tsx',
    find: 'confirmDisabled={words !== closeAllWords}',
    replace: 'confirmDisabled={false}',
    ...browser('src/web/trading/trading', 'is a button of the Kill Switch page'),
  },
  {
    name: 'older-answer-shown-last',
    harm: 'The page goes back to what was true before: a stopped bot is shown as running.',
    file: 'src/web/live/newest-live-status.ts',
    find: 'if (place < order.shown && shown !== undefined) return { answer, newest: shown };',
    replace: '',
    ...browser('src/web/fleet/fleet'),
  },
  {
    name: 'session-ended-by-an-outage',
    harm: 'A server that does not answer for a moment signs everybody out, in the middle of whatever they press.',
    file: 'src/web/api/refresh.ts',
    find: 'if (!(error instanceof ApiError && error.isNetworkError)) window',
    replace: 'window',
    ...browser('src/web/api/send'),
  },
  {
    name: 'short-shown-as-less',
    harm: 'A short that is larger than the trades say is shown as smaller: the person decides the wrong way.',
    file: 'src/web/differences/amount-text.ts',
    find: 'Math.abs(actual) > Math.abs(expected) && actual > 0 === expected > 0;',
    replace: 'actual > expected;',
    ...unit('src/web/differences/amount-text'),
  },
  {
    name: 'running-total-in-floats',
    harm: 'The running total ends with another sum than the figures.',
    file: 'src/web/profits/running-total.ts',
    find: "total = plus(total, fromText(byDay.get(day) ?? '0'));",
    replace: "total = fromText(String(toNumber(total) + Number(byDay.get(day) ?? '0')));",
    ...unit('src/web/profits/profits'),
  },
  {
    name: 'test-network-shown-as-live',
    harm: 'Money of a test network is added to real money above the fleet.',
    file: 'src/web/fleet/fleet-rows.ts',
    find: 'const mode = modeName(bot.mode, bot.exchange_id);',
    replace: 'const { mode } = bot;',
    ...unit('src/web/fleet/fleet-rows'),
  },
];
