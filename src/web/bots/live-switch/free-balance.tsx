import { messageOf } from '../../api/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { formatStake } from '../../ui/money.ts';
import { formatTimeOfDay } from '../../ui/moment.ts';
import type { BotChange } from '../use-bots.ts';
import type { LiveCheck } from './use-live-check.ts';
import type { FreeBalance } from './use-free-balance.ts';
import { useFreeBalance } from './use-free-balance.ts';

/** See `FreeBalanceFact`. */
export interface FreeBalanceFactProps {
  bot: BotChange['bot'];
  check: LiveCheck | undefined; // undefined while not loaded
  savesKey: boolean; // a new key is saved before the change
  changesAccount: boolean; // another exchange, market type or stake currency is
}

/** What the account has free, with the time the exchange was asked; else why that is not known. The switch does not depend on it. */
export function FreeBalanceFact({ bot, check, savesKey, changesAccount }: FreeBalanceFactProps) {
  const isStored = check !== undefined && check.key !== null && !savesKey && !changesAccount;
  const query = useFreeBalance(bot.id, isStored);
  if (savesKey) return 'not known before the key is saved';
  if (changesAccount) return 'not known before the changes are saved';
  if (check?.key === null) return 'not known without an API key';
  // What was read before a failure is no longer what the account has.
  const found = query.error === null ? query.data : null;
  if (query.isFetching || found === undefined) return <span className="live-free-note">Asking the exchange...</span>;
  const { free = null, read_at: askedAt = null } = found ?? {};
  if (found !== null && free !== null) return <Known {...found} free={free} bot={bot} />;
  return (
    <>
      <span>Not known. {found === null ? messageOf(query.error) : found.why}</span>
      <span className="live-free-note live-free-again">
        {askedAt === null ? null : <span>Asked {formatTimeOfDay(askedAt)} UTC</span>}
        <Button variant="ghost" size="small" aria-label="Read again: free balance" onClick={() => void query.refetch()}>
          Read again
        </Button>
      </span>
    </>
  );
}

function Known({ free, currency, read_at: readAt, bot }: Omit<FreeBalance, 'free'> & { free: number; bot: BotChange['bot'] }) {
  const isTooLittle = currency === bot.stake_currency && free < bot.stake_amount;
  return (
    <>
      <span className={isTooLittle ? 'live-free-little' : undefined}>
        {formatStake(free, currency)}
        {isTooLittle ? ', less than the stake of one trade' : null}
      </span>
      {readAt === null ? null : <span className="live-free-note">at {formatTimeOfDay(readAt)} UTC</span>}
    </>
  );
}
