import type { SessionUser } from '#contract/auth.ts';
import { useExchanges } from '../../api/use-exchanges.ts';
import { isAdmin } from '../../session/permissions.ts';
import type { BotConfig } from '../use-bot-details.ts';
import type { BotEntries, Limits } from './bot-entries.ts';
import { entriesOf, newEntries, withCleared } from './bot-entries.ts';
import { typeInto, useDraft } from './draft-store.ts';
import { ownChangeCount } from './own/own-entries.ts';
import type { Strategy } from './use-offered.ts';
import { usePairs, useStakeCurrencies, useStrategies } from './use-offered.ts';

/** How many pairs a new bot starts with. */
const firstPairs = 3;

/** The form as it is shown: what was typed, over what is stored or, for a new bot, over the defaults. */
export interface BotForm {
  stored: BotConfig | null; // the bot as it was when typing began; null for a new one
  storedEntries: BotEntries | null;
  typed: Partial<BotEntries>; // and not saved
  entries: BotEntries; // complete: nothing is null that has a default
  changed: readonly (keyof BotEntries)[]; // fields of an existing bot that differ from what is stored
  changeCount: number; // fields and own settings that differ
  strategies: readonly Strategy[];
  exchanges: readonly { id: string; name: string }[];
  currencies: readonly string[];
  pairs: readonly string[];
  limits: Limits;
  change: (changes: Partial<BotEntries>) => void;
}

/** Follows the form of the bot with this configuration, or of a new one. */
export function useBotForm(config: BotConfig | null, user: SessionUser | null, limits: Limits): BotForm {
  const botId = config?.id ?? null;
  const draft = useDraft(botId);
  const stored = draft.stored ?? config;
  const storedEntries = stored === null ? null : entriesOf(stored);
  const typed = { ...(storedEntries ?? newEntries(limits)), ...draft.changes };
  const isNew = stored === null;

  const strategies = useStrategies();
  const exchanges = useExchanges().data ?? [];
  const exchangeId = typed.exchangeId ?? (isNew ? (exchanges[0]?.id ?? '') : '');
  const currencies = useStakeCurrencies(exchangeId, typed.marketType);
  const stakeCurrency = typed.stakeCurrency ?? (isNew ? preferred(currencies, limits.preferred_stake_currency) : '');
  const pairs = usePairs(exchangeId, typed.marketType, stakeCurrency);

  const entries: BotEntries = {
    ...typed,
    // An admin may make it for somebody else.
    userEmail: isNew ? ((isAdmin(user) ? draft.changes.userEmail : null) ?? user?.email ?? '') : typed.userEmail,
    strategyId: typed.strategyId ?? (isNew ? (strategies[0]?.id ?? '') : ''),
    exchangeId,
    stakeCurrency,
    pairs: typed.pairs ?? (isNew ? pairs.slice(0, firstPairs) : []),
  };
  const changed =
    storedEntries === null
      ? []
      : (Object.keys(entries) as (keyof BotEntries)[]).filter((field) =>
          field === 'own' ? ownChangeCount(entries.own, storedEntries.own) > 0 : String(entries[field]) !== String(storedEntries[field]),
        );
  const ownChanges = storedEntries === null ? 0 : ownChangeCount(entries.own, storedEntries.own);
  const changeCount = changed.filter((field) => field !== 'own').length + ownChanges;
  const change = (changes: Partial<BotEntries>) => typeInto(botId, config, withCleared(changes));
  return {
    stored,
    storedEntries,
    typed: draft.changes,
    entries,
    changed,
    changeCount,
    strategies,
    exchanges,
    currencies,
    pairs,
    limits,
    change,
  };
}

/** The preferred currency where it is offered, else the first one. */
function preferred(currencies: readonly string[], wanted: string): string {
  return currencies.includes(wanted) ? wanted : (currencies[0] ?? '');
}
