import type { Spreadsheets } from '#outbound/google/spreadsheets.ts';
import type { Delivery } from '#outbound/post-webhook.ts';
import { chatMessage, deliveryFault } from '#server/strategies/chat-message.ts';
import { sheetFault, spreadsheetIdIn } from '#server/strategies/sheet-fault.ts';
import type { StrategySecretColumn, StrategySecrets } from '#vault/strategy-secrets.ts';
import type { Sealed } from '#storage/schema.ts';
import type { MessageSender } from './send-trade-messages.ts';

/** The last column of a row: what it is known by. */
const idColumn = 'H';

/** Sends texts to chats. */
export function chatSender(
  secrets: StrategySecrets,
  deliver: (address: string, message: Readonly<Record<string, unknown>>) => Promise<Delivery>,
): MessageSender {
  return {
    kind: 'chat',
    async send({ strategyId, text }, target) {
      const address = opened(secrets, strategyId, 'webhook', target);
      if (address === null) return unreadable('webhook');
      const fault = deliveryFault(await deliver(address, chatMessage(text ?? '')));
      return fault === null ? null : { text: fault, waitMs: 0 };
    },
  };
}

/**
 * Appends rows to spreadsheets. Appending twice makes two rows, and of a try whose answer was lost nobody knows whether it made one:
 * before each further try the last column is read, and a row whose id is there is not appended again.
 */
export function sheetSender(secrets: StrategySecrets, sheets: Spreadsheets | null): MessageSender {
  if (sheets === null) return { kind: 'sheet', send: null };
  return {
    kind: 'sheet',
    async send({ strategyId, cells, tries }, target) {
      const key = opened(secrets, strategyId, 'sheets_key', target);
      if (key === null) return unreadable('spreadsheet key');
      const id = spreadsheetIdIn(key);
      const row = cells ?? [];
      if (tries > 0) {
        const ids = await sheets.column(id, idColumn);
        if (!ids.ok) return sheetFault(ids.fault, sheets.account);
        if (ids.texts.has(String(row.at(-1)))) return null;
      }
      const appended = await sheets.append(id, row);
      return appended.ok ? null : sheetFault(appended.fault, sheets.account);
    },
  };
}

/** A secret in clear; null for one that was sealed with a key that is lost. */
function opened(secrets: StrategySecrets, strategyId: string, column: StrategySecretColumn, sealed: Sealed): string | null {
  try {
    return secrets.open(strategyId, column, sealed);
  } catch {
    return null;
  }
}

function unreadable(what: string): { text: string; waitMs: number } {
  return { text: `The ${what} was sealed with a key that is lost. Enter it again.`, waitMs: 0 };
}
