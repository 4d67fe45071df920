import { connect } from './connect.ts';
import { toExchangeError } from './ccxt-errors.ts';
import type { ConnectOptions } from './connect.ts';

const measurements = 5;

/**
 * How far the clock of this machine is behind an exchange's, in ms: the median of five measurements. Null where the exchange
 * does not publish its time.
 *
 * Fails: ExchangeError when it does not answer
 */
export async function measureClockOffset(
  options: Pick<ConnectOptions, 'exchangeId' | 'marketType' | 'sandboxUrl'>,
): Promise<number | null> {
  const { client } = connect(options);
  try {
    if (client.has['fetchTime'] !== true) {
      await client.loadMarkets();
      return null;
    }
    const offsets: number[] = [];
    for (let i = 0; i < measurements; i++) {
      const before = Date.now();
      const time = await client.fetchTime();
      if (time !== undefined) offsets.push(time - (before + Date.now()) / 2);
    }
    return offsets.toSorted((a, b) => a - b)[Math.floor(offsets.length / 2)] ?? null;
  } catch (error) {
    throw toExchangeError(error, { exchangeId: options.exchangeId, action: 'its time', changes: false });
  } finally {
    await client.close();
  }
}
