import { formatDuration, formatMoment } from '../../ui/moment.ts';
import type { LiveCheck } from './use-live-check.ts';

/** One thing that was checked: what, what came of it, and whether that is right. */
export interface CheckLine {
  name: string;
  value: string;
  tone: 'good' | 'bad' | 'unknown';
}

/** More than this and an exchange may refuse signed requests, in ms. */
const clockLimitMs = 1_000;

/** What was checked before a bot trades live, with its figures; `savesKey`: a new API key is saved before. `now`: ms. */
export function checkLines(check: LiveCheck, now: number, savesKey = false): CheckLine[] {
  const { key, trading_state: state, clock_offset_ms: offset } = check;
  return [
    ...(savesKey
      ? [{ name: 'API key checked', value: 'when it is saved', tone: 'unknown' as const }]
      : [
          { name: 'API key stored', ...(key === null ? bad('none') : good(`****${key.hint}`)) },
          { name: 'API key checked', ...keyCheck(key, now) },
        ]),
    { name: 'Database writes are durable', ...(check.store_fault === null ? good('yes') : bad(check.store_fault)) },
    { name: 'Live trading on this server', ...(check.live_enabled ? good('enabled') : bad('disabled')) },
    { name: 'Owner verified', ...(check.owner_verified ? good('yes') : bad('no')) },
    { name: 'Kill switch', ...(state === 'active' ? good('not pressed') : bad(`${state}: no entries`)) },
    { name: 'Open paper trades', ...(check.open_trades === 0 ? good('none') : bad(`${check.open_trades}: close them first`)) },
    {
      name: 'Exchange clock',
      ...(offset === null
        ? { value: 'not measured yet', tone: 'unknown' as const }
        : Math.abs(offset) > clockLimitMs
          ? bad(signedMs(offset))
          : good(signedMs(offset))),
    },
    { name: 'Drill', ...drillLine(check.drill, now) },
  ];
}

function drillLine(drill: LiveCheck['drill'], now: number): Pick<CheckLine, 'value' | 'tone'> {
  if (drill === null) return { value: 'not run', tone: 'unknown' };
  const ago = `${formatDuration(now - Date.parse(drill.run_at))} ago`;
  if (!drill.is_current) return { value: `with other settings, ${ago}`, tone: 'unknown' };
  const { length } = drill.differences;
  if (length > 0) return bad(`${length} ${length === 1 ? 'difference' : 'differences'}, ${ago}`);
  return drill.orders === 0 ? bad(`no order could be placed, ${ago}`) : good(`${drill.orders} orders, no difference`);
}

function keyCheck(key: LiveCheck['key'], now: number): Pick<CheckLine, 'value' | 'tone'> {
  if (key === null) return { value: 'not possible without a key', tone: 'unknown' };
  if (key.check === null || key.checked_at === null) return { value: 'not yet', tone: 'unknown' };
  const ago = `${formatDuration(now - Date.parse(key.checked_at))} ago`;
  if (key.check === 'refused') return bad(`refused ${ago}`);
  if (key.check === 'unreachable') return { value: `the exchange did not answer, ${ago}`, tone: 'unknown' };
  if (key.can_trade === false) return bad(`may not trade, ${ago}`);
  if (key.can_withdraw === true) return bad(`may withdraw, ${ago}`);
  return good(`ok, ${ago}`);
}

/** What the exchange said of the key, in a sentence. */
export function keySentence(key: LiveCheck['key']): string {
  if (key === null) return 'The bot has no API key yet.';
  if (key.check === null || key.checked_at === null) return 'It was not checked yet.';
  const at = `Checked ${formatMoment(key.checked_at)} UTC`;
  if (key.check === 'refused') return `${at}: the exchange refuses it.`;
  if (key.check === 'unreachable') return `${at}: the exchange did not answer.`;
  const trades = key.can_trade === null ? 'the exchange takes it' : key.can_trade ? 'it may trade' : 'it may not trade';
  const withdraws =
    key.can_withdraw === null
      ? 'whether it may withdraw, the exchange does not say'
      : `it ${key.can_withdraw ? 'may' : 'may not'} withdraw`;
  return `${at}: ${trades}, ${withdraws}.`;
}

function good(value: string): Pick<CheckLine, 'value' | 'tone'> {
  return { value, tone: 'good' };
}

function bad(value: string): Pick<CheckLine, 'value' | 'tone'> {
  return { value, tone: 'bad' };
}

function signedMs(offset: number): string {
  return `${Math.round(offset) < 0 ? '-' : '+'}${Math.abs(Math.round(offset))} ms`;
}
