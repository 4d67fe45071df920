import { secondMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { exchangeClockOffset } from '#feeds/exchange-clocks.ts';
import type { UsedMarket } from '#storage/bots/bots.ts';
import type { Finding } from './finding.ts';
import { broken, ok, warning } from './finding.ts';

const sandboxId = 'sandbox';

/** An offset from which candles seem to close late, and one from which exchanges refuse orders. */
const lateMs = 250;
const refusedMs = secondMs;

/** Whether the exchanges that bots trade on answer, and whether this machine's clock agrees with theirs. */
export async function checkExchanges(markets: readonly UsedMarket[], sandboxUrl: string | null): Promise<Finding[]> {
  if (markets.length === 0) return [ok('exchanges', 'No bot trades on an exchange yet.')];
  return Promise.all(markets.map((market) => checkExchange(market, sandboxUrl)));
}

async function checkExchange({ exchangeId, marketType }: UsedMarket, sandboxUrl: string | null): Promise<Finding> {
  const check = `exchange ${exchangeId} (${marketType})`;
  if (exchangeId === sandboxId && sandboxUrl === null) return ok(check, 'The sandbox runs with the product and is not checked from here.');
  try {
    const offset = await exchangeClockOffset(exchangeId, marketType, sandboxUrl ?? '');
    if (offset === null) return ok(check, 'It answers. It does not publish its time.');
    const found = `It answers. This machine's clock is ${Math.abs(Math.round(offset))} ms ${offset > 0 ? 'behind' : 'ahead'}.`;
    const toDo = 'Keep the clock right with NTP, for example: timedatectl set-ntp true';
    if (Math.abs(offset) > refusedMs) return broken(check, `${found} Exchanges refuse orders with a wrong time.`, toDo);
    return Math.abs(offset) > lateMs ? warning(check, found, toDo) : ok(check, found);
  } catch (error) {
    return broken(check, `It cannot be reached: ${errorText(error)}`, 'Check the network, DNS and firewall of this machine.');
  }
}
