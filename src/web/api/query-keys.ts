/** Where the state of the platform lies in the query store. */
export const systemStatusKey = ['system-status'] as const;

/** Where the bots of the list lie in the query store. */
export const botsKey = ['bots'] as const;

/** Where the archived bots lie in the query store. */
export const archivedBotsKey = ['archived-bots'] as const;

/** Where the bots of the selector lie in the query store. */
export const availableBotsKey = ['available-bots'] as const;

/** Where the pairs of the bots lie in the query store; those of one bot below it. */
export const availablePairsKey = ['available-pairs'] as const;

/** Where configuration, trades, snapshots and versions of one bot lie in the query store. */
export const botDetailsKey = (botId: string) => ['bot', botId] as const;
