import { plainRefusal } from '#engine/ports/plain-refusal.ts';
import { failedBackupText, roomAdvice } from '#storage/backup/backup-state.ts';
import type { AlarmFacts, AlarmKind } from '#storage/alarms/alarms.ts';

/** An alarm in plain English: what it is, what is known of it, and what to do. */
export interface AlarmWords {
  title: string;
  what: string;
  advice: string;
  cause?: string; // what has happened alone, for where what follows from it stands beside it
}

/** The words for an alarm of a subject, such as "Bot Harbour". Subjects and facts may hold what people have entered. */
export function alarmWords({ kind, subject, facts }: { kind: AlarmKind; subject: string; facts: AlarmFacts }): AlarmWords {
  const known = (words as Partial<typeof words>)[kind];
  return known === undefined ? wordsOfNewer(kind, subject) : known(subject, facts);
}

const words: Readonly<Record<AlarmKind, (subject: string, facts: AlarmFacts) => AlarmWords>> = {
  'limit-reached': (subject, facts) => {
    const isBot = subject.startsWith('Bot ');
    const limit = facts['limit'] === 'drawdown' ? 'drawdown' : 'daily loss';
    const figures =
      facts['limit'] === 'drawdown'
        ? `${percent(facts['use'])} of ${percent(facts['value'])}`
        : `${amount(facts['use'])} of ${amount(facts['value'])} ${String(facts['currency'])}`;
    const day = limit === 'drawdown' || facts['day'] === undefined ? '' : ` of ${String(facts['day'])}`;
    const open = facts['open'] === 'yes' ? ', with what its open trades would lose now' : '';
    const cause = `${subject}: the ${limit}${day} has reached its limit (${figures}${open}; ${String(facts['mode'])}).`;
    // Whether exits continue is what the switch says, which a person may have set further by now.
    const then = isBot ? 'The bot makes no new entries; exits and stops continue.' : 'Bots make no new entries.';
    return {
      title: isBot ? 'Bot paused by a limit' : 'Entries stopped by a limit',
      what: `${cause} ${then}`,
      cause,
      advice: isBot
        ? 'Find out why it lost, then activate the bot. The limit stays in force.'
        : 'Find out why they lost, then re-arm trading. The limit stays in force.',
    };
  },
  'stopped-by-other': (subject, facts) => ({
    title:
      facts['state'] === 'closed'
        ? 'Everything is being closed'
        : facts['state'] === 'halted'
          ? 'Trading was halted'
          : 'Entries were stopped',
    what:
      facts['state'] === 'closed'
        ? `${subject}: an administrator has halted trading and has all open trades closed.`
        : `${subject}: an administrator has set trading to ${String(facts['state'])}.`,
    advice: 'Ask the administrator why. Only an administrator can re-arm it.',
  }),
  'bot-failing': (subject, facts) => {
    const advice = 'The stops at the exchange stay. Fix the cause; it is retried automatically.';
    const count = Number(facts['bots'] ?? 1);
    const error = String(facts['error']);
    const bot = facts['names'] === undefined ? subject : `Bot ${String(facts['names'])}`;
    if (count === 1) return { title: 'Bot does not run', what: `${bot}: it has failed three times in a row: ${error}`, advice };
    const what = `${count} bots have failed three times in a row, all for the same reason: ${error} They are ${String(facts['names'])}.`;
    return { title: `${count} bots do not run`, what, advice };
  },
  'strategy-rests': (_subject, facts) => ({
    title: 'A strategy rests',
    what: `${String(facts['strategy'])} makes no entries with ${Number(facts['bots']) === 1 ? 'bot' : `${Number(facts['bots'])} bots:`} ${String(facts['names'])}. ${String(facts['fault'])}`,
    advice:
      'Stops, trailing and ROI of open trades continue. Mend the strategy and take its new version; or pause and activate a bot to have it tried again.',
  }),
  'no-runner': (_subject, facts) => {
    const isForOwner = facts['for'] === 'owner';
    const ask = 'Stops that lie at an exchange stay there; nothing else is watched. Inform the administrator of this server.';
    if (facts['bots'] === undefined)
      return {
        title: 'No bots are running',
        what: 'No runner has sent a heartbeat, so no bot manages its trades now.',
        advice: isForOwner ? ask : 'Check the processes of the server and start the runner.',
      };
    const count = Number(facts['bots']);
    return {
      title: count === 1 ? 'A bot has no runner' : `${count} bots have no runner`,
      what: `Runners are at work, but none runs ${String(facts['names'])}, so nobody manages what ${count === 1 ? 'it holds' : 'they hold'}.`,
      advice: isForOwner ? ask : 'Start a runner that may trade there (LIVE_TRADING) and has room (RUNNER_MAX_BOTS).',
    };
  },
  'store-undurable': (_subject, facts) => ({
    title: 'The database may lose trades',
    what: String(facts['fault']),
    advice: 'Live bots do not start until the database keeps what it acknowledges.',
  }),
  'backup-failed': (_subject, facts) => ({
    title: 'Backups do not work',
    what: `${
      (facts['fault'] ?? null) === null
        ? 'No backup has passed its test in the last 13 hours; the log of the server says what became of them.'
        : failedBackupText({
            file: (facts['file'] ?? null) === null ? null : String(facts['file']),
            fault: String(facts['fault']),
            isOfRoom: facts['room'] === 'lacking',
          })
    } ${
      (facts['passed'] ?? null) === null
        ? 'None has passed yet.'
        : `The newest that has passed is ${String(facts['passed'])}, made ${String(facts['passedAt']).slice(0, 16).replace('T', ' ')} UTC.`
    }`,
    advice: `${facts['room'] === 'lacking' ? roomAdvice : 'Copy the newest that has passed to another machine.'} Flotilla tries again every hour; this ends with one that passes.`,
  }),
  'delivery-failed': (subject, facts) => ({
    title: 'Messages are not delivered',
    what: `${subject}: the last ${facts['to'] === 'sheet' ? 'row of the spreadsheet' : 'message to the chat'} of ${String(facts['strategy'])} failed: ${String(facts['error'])}`,
    advice: 'Check the address or key under Strategy, and send a test.',
  }),
  'unknown-order': (subject, facts) => ({
    title: 'The state of an order is unknown',
    what: `${subject}: the exchange has not reported for over a minute what became of ${order(facts)}.`,
    advice: 'It is asked again every few seconds. If this lasts, check the account at the exchange.',
  }),
  'unprotected-position': (subject, facts) => {
    const symbol = String(facts['symbol']);
    if (facts['tooSmall'] === 'to-sell')
      return {
        title: 'A position is too small to sell',
        what: `${subject}: ${symbol} has neither stop nor exit, because the exchange takes no order for so little.`,
        advice: 'It is sold when more was bought or the price makes it worth enough. Closed by you, it stays in the account.',
      };
    return {
      title: 'A position has no stop',
      what:
        facts['tooSmall'] === 'for-stop'
          ? `${subject}: ${symbol} is too small for a stop: at its stop price it is worth less than the smallest order of the exchange.`
          : `${subject}: ${symbol} has no stop that the exchange has confirmed.${newestStop(facts)}`,
      advice: 'Check the position at the exchange; close it or set a stop there if this lasts.',
    };
  },
  difference: (subject, facts) => ({
    title: 'The account differs from the trades',
    what: `${subject}: the account holds ${String(facts['actual'])} of ${String(facts['symbol'])}, the trades say ${String(facts['expected'])}.`,
    advice: 'Decide on the page of the bot which is right. It makes no entries meanwhile.',
  }),
  'unrecorded-order': (subject, facts) => ({
    title: 'An order without a record in the database',
    what: `${subject}: the exchange has ${order(facts)}, to ${String(facts['side'])} ${String(facts['amount'])} (${facts['type'] === 'stop' ? 'a stop' : String(facts['type'])}${facts['price'] === null ? '' : ` at ${String(facts['price'])}`}; ${String(facts['filled'])} filled). The database has no record of it, as after a restored backup.`,
    advice:
      'Entries and exits without a record are cancelled. What they bought or sold is shown as a difference on the page of the bot: decide there.',
  }),
  'late-fill': (subject, facts) => ({
    title: 'A fill came after the end of its trade',
    what: `${subject}: ${order(facts)} was filled after its trade was over. The trade was corrected.`,
    advice: 'Check at the exchange that nothing is held which the trades do not show.',
  }),
  'fill-of-unknown-order': (subject, facts) => ({
    title: 'A fill of an unknown order',
    what: `${subject}: the exchange reports a fill of ${order(facts)}, which the bot does not know. It counts in no trade.`,
    advice: 'Check at the exchange what is held, and close what belongs to no trade.',
  }),
  'margin-differs': (subject, facts) => ({
    title: 'An entry was not sent: wrong leverage or margin mode',
    what: `${subject}: ${String(facts['symbol'])} needs leverage ${String(facts['wantedLeverage'])} with ${String(facts['wantedMargin'])} margin, and the exchange says that it has leverage ${String(facts['leverage'])} with ${String(facts['margin'])} margin.`,
    advice:
      (facts['refusal'] ?? '') === ''
        ? 'Set both at the exchange, and see that nothing else changes them. The next entry tries again.'
        : `The exchange does not change it now: ${String(facts['refusal'])}. Look at the liquidation price there; the bot enters again once the position is closed.`,
  }),
  'position-margin': (subject, facts) => ({
    title: 'A position has another leverage or margin mode',
    what: `${subject}: the position in ${String(facts['symbol'])} has leverage ${String(facts['leverage'])} and ${String(facts['margin'])} margin at the exchange; its trade was opened with leverage ${String(facts['wantedLeverage'])} and ${String(facts['wantedMargin'])} margin.`,
    advice:
      'Its liquidation price is not the one shown here, and its stop may lie behind it: look it up at the exchange. Set leverage and margin mode back there, or close the position.',
  }),
  'decision-differs': (subject, facts) => ({
    title: 'A decision differs from its replay',
    what: `${subject}: on ${String(facts['day'])} (UTC) ${facts['decisions'] === 1 ? 'a decision' : `${String(facts['decisions'])} decisions`} of the bot ${facts['decisions'] === 1 ? 'was' : 'were'} not what its strategy says on the same candles; the first is of ${String(facts['symbol'])} at ${String(facts['candle']).slice(11, 16)}.`,
    advice:
      'See the certificate of the day under Reports, and pause the bot until you know why: its strategy may look ahead or use chance.',
  }),
  'amount-differs': (subject, facts) => ({
    title: 'An order has another amount',
    what: `${subject}: the exchange has ${order(facts)} with another amount than was decided.`,
    advice: 'Check the order at the exchange.',
  }),
};

/** Of a kind that only a newer version knows, whose processes run beside this one for as long as an upgrade takes. */
function wordsOfNewer(kind: string, subject: string): AlarmWords {
  return {
    title: 'An alarm of a newer version',
    what: `${subject}: ${kind.replaceAll('-', ' ')}.`,
    advice:
      'This process is older than the one that raised it and does not know more. Upgrade all processes of the server, then look again.',
  };
}

/** What became of the newest stop of a position without one, as a sentence; nothing when it did not fail. */
function newestStop({ refusal = null, endedAs = null }: AlarmFacts): string {
  if (endedAs !== null) return ` The newest was taken by the exchange and ended there unasked (${String(endedAs)}).`;
  return refusal === null ? '' : ` The newest was refused: ${plainRefusal(String(refusal))}.`;
}

function order(facts: AlarmFacts): string {
  const symbol = facts['symbol'] ?? null;
  return `order ${String(facts['order'])}${symbol === null ? '' : ` of ${symbol}`}`;
}

function amount(value: string | number | null | undefined): string {
  return String(Number(Number(value).toPrecision(8)));
}

function percent(value: string | number | null | undefined): string {
  return `${(Number(value) * 100).toFixed(1)} %`;
}
