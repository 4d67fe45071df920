import type { AccountRecords } from '../orders/unrecorded-orders.ts';

/** Records that name no bot: there is nothing to search for. */
export const noRecords: AccountRecords = {
  bots: async () => [],
  claims: async () => new Map(),
  recorded: async () => new Set(),
  ended: async () => new Set(),
  fillBefore: async () => null,
  standing: async () => [],
  note: async () => undefined,
  vanished: async () => undefined,
  start: async () => '',
  passed: async () => undefined,
  marginDiffers: async () => undefined,
};
