import { type Mutant, storage, unit, wire } from './mutant.ts';

const backups = 'src/processes/scheduled-backups.ts';
const compare = 'src/processes/compare-accounts.ts';

/** Where two exchanges, accounts, sides, modes or moments meet, in what speaks with exchanges, calculates and runs processes. */
export const meetingsOfParts: readonly Mutant[] = [
  // Exchange
  {
    name: 'liquidation-is-no-fill',
    harm: 'What a liquidation has taken is learned up to half a minute late: the bot orders exits of a position that is gone, and may enter on money that is gone.',
    file: 'src/exchange/trading/stream/futures-events.ts',
    find: "return row['x'] === 'TRADE' || (row['x'] === 'CALCULATED' && numberOf(row, 'l') > 0);",
    replace: "return row['x'] === 'TRADE';",
    project: 'wire',
    tests: ['src/exchange/trading/rows/binance-order.test.ts', 'src/exchange/trading/stream/user-stream.test.ts'],
  },
  {
    name: 'stop-opens-a-position',
    harm: 'A stop that is still at the exchange when its position was closed by hand or liquidated opens one the other way, which belongs to no trade.',
    file: 'src/exchange/trading/algo-orders.ts',
    find: '      reduceOnly: String(request.reduceOnly),\n',
    replace: '',
    project: 'wire',
    tests: [
      'src/exchange/trading/trading-at-sandbox.test.ts',
      'src/exchange/trading/restart.test.ts',
      'src/exchange/trading/forgotten-orders.test.ts',
      'src/exchange/trading/stream/user-stream.test.ts',
    ],
  },
  {
    name: 'ended-stream-keeps-its-socket',
    harm: 'After the exchange has ended the user stream the new subscription goes to the old socket, for which ccxt thinks that it is subscribed: no fill is reported any more.',
    file: 'src/exchange/trading/stream/user-stream.ts',
    find: '      this.#dropSockets();\n      await sleep(this.#backoff.next()',
    replace: '      await sleep(this.#backoff.next()',
    project: 'wire',
    tests: ['src/exchange/trading/stream/user-stream.test.ts', 'src/exchange/trading/stream/futures-stream.test.ts'],
  },
  {
    name: 'entries-take-the-requests-of-stops',
    harm: 'Entries are sent with the share of requests that is kept for exits and stops: when many bots enter at once a stop waits or fails.',
    file: 'src/exchange/trading/account-client.ts',
    find: "this.#ask(isEntry ? 'entry' : 'order', `an answer to the order",
    replace: "this.#ask('order', `an answer to the order",
    project: 'wire',
    tests: ['src/exchange/trading/questions-at-start.test.ts', 'src/exchange/trading/trading-faults.test.ts'],
  },
  {
    name: 'orders-of-two-symbols-with-one-number',
    harm: 'Binance counts orders by symbol: where two of them have the same number, the fill of one is booked as that of the other, in another symbol.',
    file: 'src/exchange/trading/order-memory.ts',
    find: `    const key = \`\${symbol} \${orderId}\`;
    this.#orders.delete(key);
    this.#orders.set(key, { clientOrderId, createdTime });
    this.#clientIds.set(\`\${symbol} \${clientOrderId}\`, key);
    if (this.#orders.size > most) this.#forget(this.#orders.keys().next().value ?? '');
  }

  of(symbol: string, orderId: string): KnownOrder | null {
    return this.#orders.get(\`\${symbol} \${orderId}\`) ?? null;
`,
    replace: `    const key = orderId;
    this.#orders.delete(key);
    this.#orders.set(key, { clientOrderId, createdTime });
    this.#clientIds.set(\`\${symbol} \${clientOrderId}\`, key);
    if (this.#orders.size > most) this.#forget(this.#orders.keys().next().value ?? '');
  }

  of(_symbol: string, orderId: string): KnownOrder | null {
    return this.#orders.get(orderId) ?? null;
`,
    project: 'wire',
    tests: [
      'src/exchange/trading/restart.test.ts',
      'src/exchange/trading/trading-at-sandbox.test.ts',
      'src/exchange/trading/rows/binance-order.test.ts',
      'src/exchange/trading/rows/fill-list.test.ts',
      'src/exchange/trading/order-memory.test.ts',
      'src/exchange/trading/foreign-orders.test.ts',
    ],
  },
  {
    name: 'stops-of-the-second-symbol-not-read',
    harm: 'Stops of a second symbol that are older than the one that waits in the first are never read: when one is triggered its fills belong to nobody, and the bot holds what is sold.',
    file: 'src/exchange/trading/algo-orders.ts',
    find: "this.#unfinished.get(market.symbol) ?? '1'",
    replace: "[...this.#unfinished.values()].at(-1) ?? '1'",
    project: 'wire',
    tests: [
      'src/exchange/trading/restart.test.ts',
      'src/exchange/trading/trading-at-sandbox.test.ts',
      'src/exchange/trading/questions-at-start.test.ts',
      'src/exchange/trading/forgotten-orders.test.ts',
      'src/exchange/trading/foreign-orders.test.ts',
    ],
  },
  // Feeds
  {
    name: 'funding-of-another-exchange',
    harm: 'Two bots with the same perpetual at two exchanges share payments: each after the first is charged the funding of the other exchange.',
    file: 'src/feeds/funding-feed.ts',
    find: 'const key = `${exchangeId} ${symbol}`;',
    replace: 'const key = symbol;',
    ...unit('src/feeds/funding-feed'),
  },
  // Engine
  {
    name: 'dropped-step-forgets-a-part',
    harm: 'A step that could not be written has forgotten, or begun, the part that a strategy leaves: it is left twice or never.',
    file: 'src/engine/bot/advance.ts',
    find: 'partsToLeave: { ...state.partsToLeave },',
    replace: 'partsToLeave: state.partsToLeave,',
    project: 'unit',
    tests: ['src/engine/bot/draft.test.ts', 'src/engine/bot/advance.test.ts', 'src/engine/bot/adjust-position.test.ts'],
  },
  {
    name: 'dropped-step-has-asked-the-strategy',
    harm: 'A step that could not be written counts as one in which the strategy was asked: what it wanted then is not asked again.',
    file: 'src/engine/bot/advance.ts',
    find: 'adjustAskedAt: { ...state.adjustAskedAt },',
    replace: 'adjustAskedAt: state.adjustAskedAt,',
    project: 'unit',
    tests: ['src/engine/bot/draft.test.ts', 'src/engine/bot/advance.test.ts', 'src/engine/bot/adjust-position.test.ts'],
  },
  {
    name: 'nothing-added-with-leverage',
    harm: 'A person cannot add to a trade with leverage: each addition counts as more than was named.',
    file: 'src/engine/bot/by-hand.ts',
    find: 'isMore((amount * price) / trade.leverage, action.stake)',
    replace: 'isMore(amount * price, action.stake)',
    ...unit('src/engine/bot/by-hand'),
  },
  {
    name: 'late-funding-of-a-part',
    harm: 'A payment that was made between two fills of the last exit, and is published after the end of the trade, is charged to nobody: the profit is wrong.',
    file: 'src/engine/account/refresh-funding.ts',
    find: "const exit = trade.orders.find(({ purpose, fills }) => purpose === 'exit' && fills.some((fill) => fill.time >= time));",
    replace: "const exit = trade.orders.find(({ purpose, fills }) => purpose === 'exit' && fills.every((fill) => fill.time >= time));",
    project: 'unit',
    tests: [
      'src/engine/account/funding.test.ts',
      'src/engine/bot/order-report.test.ts',
      'src/engine/bot/small-rest.test.ts',
      'src/engine/bot/held-elsewhere.test.ts',
    ],
  },
  {
    name: 'taken-up-trade-keeps-its-end',
    harm: 'A trade that was given up and is filled after all is open with a time of its end: pages and sums count it as closed.',
    file: 'src/engine/bot/order-report.ts',
    find: '  trade.closeTime = null;\n',
    replace: '',
    ...unit('src/engine/bot/order-report'),
  },
  {
    name: 'part-of-a-trade-with-leverage',
    harm: 'A strategy, or a plan of rules, that leaves half of a trade with a leverage of 10 leaves a twentieth of it: most of the profit is given back.',
    file: 'src/engine/bot/adjust-position.ts',
    find: 'const share = dividedBy(times(toDecimal(-stake), toDecimal(trade.amount)), toDecimal(trade.stake));',
    replace: 'const share = dividedBy(times(toDecimal(-stake), toDecimal(1)), toDecimal(trade.openRate));',
    project: 'unit',
    tests: [
      'src/engine/bot/adjust-position.test.ts',
      'src/engine/bot/contracts.test.ts',
      'src/engine/bot/manage-trade.test.ts',
      'src/engine/rules/compile-rules.test.ts',
      'src/engine/rules/position-plan.test.ts',
    ],
  },
  {
    name: 'plan-adds-leverage-times-too-much',
    harm: 'A plan of rules that adds half of the first stake adds five times it at a leverage of 10: the position is far larger than its owner has planned.',
    file: 'src/engine/rules/position-plan.ts',
    find: 'return first === undefined ? stake : toNumber(movedValue(first)) / leverage;',
    replace: 'return first === undefined ? stake / leverage : toNumber(movedValue(first));',
    project: 'unit',
    tests: ['src/engine/rules/position-plan.test.ts', 'src/engine/rules/compile-rules.test.ts', 'src/engine/rules/random-rules.test.ts'],
  },
  {
    name: 'plan-adds-to-a-short-in-profit',
    harm: 'A plan that is to add to what moves against it adds to shorts that win, and to none that lose: it doubles up at the bottom.',
    file: 'src/engine/rules/position-plan.ts',
    find: "return direction === 'long' ? price <= openRate * (1 - distance) : price >= openRate * (1 + distance);",
    replace: 'return direction !== undefined && price <= openRate * (1 - distance);',
    project: 'unit',
    tests: ['src/engine/rules/position-plan.test.ts', 'src/engine/rules/compile-rules.test.ts', 'src/engine/rules/random-rules.test.ts'],
  },
  {
    name: 'refused-part-counts-as-taken-out',
    harm: 'A part that the exchange has refused, or whose limit ran out of time, counts as taken out: the plan never takes that profit.',
    file: 'src/engine/rules/position-plan.ts',
    find: "orders.some((order) => order.purpose === 'exit' && order.tag === tag && order.filled > 0);",
    replace: "orders.some((order) => order.purpose === 'exit' && order.tag === tag);",
    project: 'unit',
    tests: ['src/engine/rules/position-plan.test.ts', 'src/engine/rules/compile-rules.test.ts', 'src/engine/rules/random-rules.test.ts'],
  },
  {
    name: 'short-bought-back-elsewhere-as-sold',
    harm: 'What somebody bought back of a short at the exchange is booked as a sale: funding since then is charged for more than was held, and the trade shows an order the other way.',
    file: 'src/engine/bot/held-elsewhere.ts',
    find: 'side: exitSide(trade.direction),',
    replace: "side: trade.marketType === 'spot' ? exitSide(trade.direction) : 'sell',",
    project: 'unit',
    tests: ['src/engine/bot/held-elsewhere.test.ts', 'src/engine/bot/missing.test.ts', 'src/engine/account/funding.test.ts'],
  },
  {
    name: 'short-adjusted-at-the-price-of-a-long',
    harm: 'A strategy that adjusts a short is shown the price on the wrong side, and its further limit entry crosses the spread: it pays as a taker.',
    file: 'src/engine/bot/adjust-position.ts',
    find: "const rate = currentRate('entry', trade.direction, settings.orderTypes.entry, view, settings);",
    replace: "const rate = currentRate('entry', 'long', settings.orderTypes.entry, view, settings);",
    project: 'unit',
    tests: ['src/engine/bot/adjust-position.test.ts', 'src/engine/bot/manage-trade.test.ts', 'src/engine/bot/contracts.test.ts'],
  },
  // Commands
  {
    name: 'imported-times-are-local',
    harm: 'On a machine in Berlin or New York every imported trade is hours off: it falls on another day, and counts in another daily sum.',
    file: 'src/cli/import-freqtrade/freqtrade-trades.ts',
    find: "const time = Date.parse(`${value.replace(' ', 'T')}Z`);",
    replace: "const time = Date.parse(value.replace(' ', 'T'));",
    ...unit('src/cli/import-freqtrade/freqtrade-trades'),
  },
  {
    name: 'candle-times-of-a-file-are-local',
    harm: 'On a machine outside of UTC a backtest of a CSV file runs on candles that are hours off, silently: funding, days and other pairs do not fit.',
    file: 'src/cli/candles/candle-csv.ts',
    find: "${words.length > 10 ? 'Z' : ''}",
    replace: '',
    ...unit('src/cli/candles/candle-files'),
  },
  {
    name: 'checked-beside-a-position',
    harm: 'exchange-check runs in a symbol in which a person has a position: its orders that only reduce close a part of that.',
    file: 'src/cli/exchange-check/exchange-check-command.ts',
    find: 'if (open.length > 0 || held)',
    replace: 'if (open.length > 0 && !held)',
    ...unit('src/cli/exchange-check/exchange-check-command'),
  },
  {
    name: 'difference-of-another-account',
    harm: 'After a restore, with two accounts that both differ in BTC/USDT, `flotilla accounts` says it of one of them alone: the other is activated unresolved.',
    file: compare,
    find: 'open.filter(({ botId }) => own.has(botId)).map(',
    replace: 'open.map(',
    ...storage('src/cli/accounts-command'),
  },
  {
    name: 'one-stopped-bot-hides-its-account',
    harm: 'An account of two bots of which one is stopped counts as not to be compared: `flotilla accounts` says that all is well while no runner compares it.',
    file: compare,
    find: 'account.bots.every(({ id }) => !running.has(id))',
    replace: 'account.bots.some(({ id }) => !running.has(id))',
    ...storage('src/cli/accounts-command'),
  },
  // Processes and vault
  {
    name: 'one-failed-round-ends-all-backups',
    harm: 'After one round that failed, as when the disk was full for an hour, no backup is made until the product is started again.',
    file: backups,
    find: 'last = last.then(round).catch((error: unknown) => say(`The backup was not made: ${errorText(error)} The next hour tries again.`));',
    replace:
      'last = last.then(round);\n    last.catch((error: unknown) => say(`The backup was not made: ${errorText(error)} The next hour tries again.`));',
    ...unit('src/processes/scheduled-backups'),
  },
  {
    name: 'two-backups-at-once',
    harm: 'A backup that takes longer than an hour is joined by another, which removes its unfinished file: of a large database no backup is ever finished.',
    file: backups,
    find: 'last = last.then(round).catch(',
    replace: 'last = round().catch(',
    ...unit('src/processes/scheduled-backups'),
  },
  {
    name: 'upgrade-without-a-backup',
    harm: 'An upgrade changes the tables without the backup that was to be made before: who wants to go back has none of the version before.',
    file: 'src/processes/supervisor.ts',
    find: '      if (server !== null) await backUpBeforeUpgrade(databaseUrl, backups, new Date());\n      await bringUpToDate(databaseUrl);\n',
    replace:
      '      await bringUpToDate(databaseUrl);\n      if (server !== null) await backUpBeforeUpgrade(databaseUrl, backups, new Date());\n',
    ...unit('src/processes/supervisor'),
  },
  {
    name: 'database-stopped-before-its-bots',
    harm: 'A stop of the product ends the database first: what runners write in their last second is lost, and bots are not handed over.',
    file: 'src/processes/supervisor.ts',
    find: 'for (const some of [processes, services])',
    replace: 'for (const some of [services, processes])',
    ...unit('src/processes/supervisor'),
  },
  {
    name: 'backups-named-in-local-time',
    harm: 'In New York the newest backup seems to be from the future for five hours: one is made every hour, and the fourteen that are kept reach back hours instead of days.',
    file: backups,
    find: "time: Date.parse(`${day}T${time.replaceAll('-', ':')}Z`)",
    replace: "time: Date.parse(`${day}T${time.replaceAll('-', ':')}`)",
    ...unit('src/processes/scheduled-backups'),
  },
  {
    name: 'sheet-key-not-sealed-again',
    harm: 'After a change of the key the spreadsheet keys of all strategies are lost: rows of trades are not written any more.',
    file: 'src/processes/change-key.ts',
    find: "sheetsKey: again('sheets_key', sealed.sheetsKey)",
    replace: 'sheetsKey: sealed.sheetsKey',
    ...unit('src/processes/change-key'),
  },
  {
    name: 'doctor-forgets-the-backups',
    harm: 'Backups that everybody on the machine can read, with the trades and addresses of all people, are no finding of the doctor.',
    file: 'src/processes/doctor/folder-checks.ts',
    find: "['keys', 'mails', 'backups', 'logs']",
    replace: "['keys', 'mails', 'logs']",
    ...storage('src/processes/doctor/folder-checks'),
  },
  {
    name: 'doctor-trusts-the-group',
    harm: 'A key file that a group can read is not found by the doctor: whoever is in it opens all exchange keys.',
    file: 'src/processes/doctor/folder-checks.ts',
    find: '& 0o077) !== 0',
    replace: '& 0o007) !== 0',
    ...storage('src/processes/doctor/folder-checks'),
  },
  {
    name: 'key-file-changed-before-its-database',
    harm: 'A change of the key whose transaction fails at its end leaves the new key in the file and the old one in the database: nothing starts any more.',
    file: 'src/processes/change-key.ts',
    find: '      return { resealed: count, keyId: sealing.id };',
    replace: '      adoptNextKey(path, sealing.id);\n      return { resealed: count, keyId: sealing.id };',
    ...unit('src/processes/change-key'),
  },
  {
    name: 'refused-file-never-looked-at-again',
    harm: 'A strategy file that was refused because another had its name stays refused when the other is gone, until somebody changes it.',
    file: 'src/processes/strategy-folder.ts',
    find: "seen.set(path, faults.length === 0 ? hash : faults.join('\\n'));",
    replace: 'seen.set(path, hash);',
    ...storage('src/processes/strategy-folder'),
  },
  {
    name: 'stop-does-not-wait-for-the-backup',
    harm: 'The product ends its database under a backup or its test: a backup that was nearly whole is lost, and a copy of all tables may stay in the database.',
    file: backups,
    find: '    clearInterval(timer);\n    await last;\n',
    replace: '    clearInterval(timer);\n',
    ...unit('src/processes/scheduled-backups'),
  },
  {
    name: 'each-cross-position-has-all-of-the-margin',
    harm: 'Positions that share a margin are liquidated in the sandbox hours after they have used it up.',
    file: 'src/sandbox/account/futures/follower.ts',
    find: "const sharers = marginType === 'isolated' ? 1 : held.filter((other) => other.marginType === 'cross').length;",
    replace: 'const sharers = marginType === null ? 0 : 1;',
    ...wire('src/sandbox/futures-orders'),
  },
  {
    name: 'isolated-liquidation-takes-the-wallet',
    harm: 'A liquidation of an isolated position that has used its margin up takes its fee from the wallet of the sandbox, as no exchange does.',
    file: 'src/sandbox/account/futures/liquidation.ts',
    find: "const left = position.marginType === 'isolated' ? position.isolated + result : rows.balance(pair.quote).free;",
    replace: 'const left = rows.balance(pair.quote).free;\n  void result;',
    ...wire('src/sandbox/futures-orders'),
  },
  {
    name: 'demonstration-served-to-others',
    harm: 'A web process of its own with an open HOST serves a demonstration, whose accounts have known passwords, to everybody.',
    file: 'src/processes/web.ts',
    find: '    await refuseOpenDemonstration(db, config);\n',
    replace: '',
    ...unit('src/processes/prepare', 'nor by a web process that is started alone'),
  },
  {
    name: 'only-thirty-series-while-the-streams-are-away',
    harm: 'While the streams are away the open candles of all series but the first thirty stand still until they close.',
    file: 'src/exchange/live-feed.ts',
    find: '    this.#pollFrom += polledAtOnce;\n',
    replace: '',
    ...wire('src/exchange/live-feed', 'the open candles of forty symbols'),
  },
  {
    name: 'mode-of-a-version-not-listed',
    harm: 'A call refuses a mode with a text that its documentation does not list: programs that read it are surprised.',
    file: 'src/contract/strategy-files.ts',
    find: "      400: ['Mode must be paper or live'],\n",
    replace: '',
    ...unit('src/contract/field-types'),
  },
  {
    name: 'orders-read-before-their-makers',
    harm: "An order that a stop has made between the two questions is listed as an order of its own: somebody else's order without a record.",
    file: 'src/exchange/trading/futures-trading.ts',
    find: '      const rows = await rowsSince(this.#orders(market), since, this.#account.now());\n      const algos = await this.#algos.since(market, since); // after them, so that it is known which of them were made by conditional ones\n',
    replace:
      '      const algos = await this.#algos.since(market, since);\n      const rows = await rowsSince(this.#orders(market), since, this.#account.now());\n',
    ...wire('src/exchange/trading/forgotten-orders', 'a stop that is triggered while its account is asked'),
  },
];
