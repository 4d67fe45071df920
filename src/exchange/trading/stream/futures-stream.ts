import { minuteMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { AccountClient } from '../account-client.ts';
import { rowOf, textOf } from '../rows/answer-row.ts';
import type { OpenStream } from './user-stream.ts';

/** A listen key lives for an hour; the exchange asks for a renewal every half hour at the latest. */
const renewal = { everyMs: 20 * minuteMs, retryMs: minuteMs };

/** Binance's code for a listen key that is no more. */
const keyHasEnded = '-1125';

/**
 * Opens the user stream of a USD-M account: a socket that belongs to a listen key, which is renewed here. `lost` is called when the
 * key has ended.
 */
export async function openFuturesStream(
  account: AccountClient,
  lost: (reason: string) => void,
  { everyMs, retryMs } = renewal,
): Promise<OpenStream> {
  const { ccxt } = account;
  const listenKey = textOf(rowOf(await account.read('a listen key', () => ccxt.fapiPrivatePostListenKey({}), 'order')), 'listenKey');
  await ccxt.client(ccxt.getPrivateWsUrl('future', listenKey)).connect();
  let timer: NodeJS.Timeout | null = null;
  const renewIn = (ms: number): void => {
    timer = setTimeout(() => void renew(), ms).unref();
  };
  const renew = async (): Promise<void> => {
    const result = await account
      .read('a longer life of the listen key', () => ccxt.fapiPrivatePutListenKey({}))
      .then(
        () => 'renewed',
        (error: unknown) => (errorText(error).includes(keyHasEnded) ? 'ended' : 'not answered'),
      );
    if (timer === null) return;
    if (result === 'ended') lost('its listen key has ended');
    else renewIn(result === 'renewed' ? everyMs : retryMs);
  };
  renewIn(everyMs);
  return {
    end() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
