import { formatMoment } from '../ui/moment.ts';
import type { OwnApiKey } from '../api/use-api-keys.ts';

/** How a line about a key is meant. */
export type KeyTone = 'good' | 'bad' | 'plain';

/** What an exchange has said about a key. */
export function checkText(key: OwnApiKey): { text: string; tone: KeyTone } {
  const { exchange_name: exchange } = key;
  if (key.is_checking) return { text: `Asking ${exchange}...`, tone: 'plain' };
  if (key.check === 'refused') return { text: `${exchange} refuses this key`, tone: 'bad' };
  if (key.check === 'unreachable') return { text: `${exchange} could not be reached`, tone: 'plain' };
  if (key.can_withdraw === true) return { text: 'This key may withdraw money. Replace it by one without that right.', tone: 'bad' };
  if (key.can_trade === false) {
    const what = key.bots.length === 0 ? 'accepts it for reading only, not for trading' : 'does not let it trade on the market of its bots';
    return { text: `${exchange} ${what}`, tone: 'bad' };
  }
  return { text: `Accepted by ${exchange}${key.can_trade === null ? '' : ' for trading'}`, tone: 'good' };
}

/** When a key was used and who uses it. */
export function usageText({ last_used, bots, checked_at }: OwnApiKey): string {
  const live = bots.filter(({ mode }) => mode === 'live').length;
  const by = bots.length === 0 ? 'Used by no bot' : `Used by ${bots.length} ${bots.length === 1 ? 'bot' : 'bots'}, ${live} live`;
  const checked = checked_at === null ? '' : `, checked ${formatMoment(checked_at)}`;
  return `${by}${checked}, last order ${last_used === null ? 'never' : formatMoment(last_used)}`;
}

/** Whether exchanges of this kind give a passphrase with their keys; null when that is not known. */
export const needsPassphrase: Readonly<Record<string, boolean>> = {
  sandbox: false,
  binance: false,
  bybit: false,
  kraken: false,
  okx: true,
  kucoin: true,
  bitget: true,
};
