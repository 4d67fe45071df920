import type { Dictionary, Market } from 'ccxt';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { connect, type ConnectOptions } from '../connect.ts';
import type { AccountCcxt } from './account-ccxt.ts';

/** How long a list of instruments serves other accounts too, in ms. */
export const marketsMaxAgeMs = 60_000;

/** The instruments of one exchange and market, loaded once for all accounts of this process: each list of its own would take tens of megabytes. */
export interface SharedMarkets {
  /**
   * Gives an account the instruments, loaded again when they are older than a minute, and says when they were asked for, in ms of
   * `performance.now()`. Fails: with an error of ccxt; ExchangeError `temporary` when the exchange lists none
   */
  give(client: AccountCcxt): Promise<{ markets: Dictionary<Market>; at: number }>;
}

const lists = new Map<string, SharedMarkets>();

/** The instruments of an exchange and market. They are asked for without a key. */
export function sharedMarkets(options: Omit<ConnectOptions, 'credentials'>): SharedMarkets {
  const key = `${options.exchangeId} ${options.marketType} ${options.sandboxUrl ?? ''}`;
  const known = lists.get(key) ?? newList(options);
  lists.set(key, known);
  return known;
}

interface Loaded {
  client: AccountCcxt;
  at: number;
}

function newList(options: Omit<ConnectOptions, 'credentials'>): SharedMarkets {
  let loaded: Loaded | null = null;
  let loading: Promise<Loaded> | null = null;
  const load = async (): Promise<Loaded> => {
    const client = connect(options).client as AccountCcxt;
    const at = performance.now();
    try {
      const count = Object.keys(await client.loadMarkets()).length;
      // Whatever is wrong with such an answer: it does not say that all instruments are gone.
      if (count === 0) throw new ExchangeError('temporary', `${options.exchangeId} gave an empty list of instruments.`);
      return (loaded = { client, at });
    } finally {
      await client.close();
    }
  };
  return {
    async give(client) {
      const isNew = loaded !== null && performance.now() - loaded.at < marketsMaxAgeMs;
      loading ??= (isNew && loaded !== null ? Promise.resolve(loaded) : load()).finally(() => (loading = null));
      const { client: source, at } = await loading;
      client.setMarketsFromExchange(source);
      return { markets: client.markets ?? {}, at };
    },
  };
}
