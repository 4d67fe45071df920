import { useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import { messageOf } from '../../api/api-error.ts';
import { botDetailsKey } from '../../api/query-keys.ts';
import { showToast } from '../../ui/toast.ts';
import type { BotTrade } from '../use-bot-details.ts';

/** The comments being written and how to save one. */
export interface Comments {
  drafts: ReadonlyMap<string, string>; // by trade id; what was typed and is not saved
  saving: ReadonlySet<string>; // ids of trades
  type: (tradeId: string, text: string) => void;
  save: (trade: BotTrade) => void;
}

/** The comments of the table around a cell. */
export const CommentsContext = createContext<Comments | null>(null);

/** See `CommentsContext`. */
export function useCommentsAround(): Comments {
  const comments = useContext(CommentsContext);
  if (comments === null) throw new Error('A comment box stands in a table of trades');
  return comments;
}

/** Keeps what is typed per trade, also while its row is out of sight, until the server has stored it. */
export function useComments(botId: string): Comments {
  const queryClient = useQueryClient();
  const [drafts, setDrafts] = useState<ReadonlyMap<string, string>>(new Map());
  const [saving, setSaving] = useState<ReadonlySet<string>>(new Set());
  const underWay = useRef(new Set<string>());

  const type = useCallback((tradeId: string, text: string) => setDrafts((before) => new Map(before).set(tradeId, text)), []);
  const save = useCallback(
    ({ trade_id }: BotTrade) => {
      const note = drafts.get(trade_id);
      if (note === undefined || underWay.current.has(trade_id)) return;
      underWay.current.add(trade_id);
      setSaving(new Set(underWay.current));
      const store = async () => {
        const saved = await api.addTradeNote({ params: { id: trade_id }, body: { note } });
        const queryKey = [...botDetailsKey(botId), 'trades'];
        await queryClient.cancelQueries({ queryKey }); // an answer of before must not take the comment away
        queryClient.setQueriesData<BotTrade[]>({ queryKey }, (trades) =>
          trades?.map((trade) => (trade.trade_id === trade_id ? { ...trade, note: saved.note } : trade)),
        );
        // What was typed while the call was under way stays.
        setDrafts((before) => (before.get(trade_id) === note ? new Map([...before].filter(([id]) => id !== trade_id)) : before));
        showToast('success', 'Comment saved successfully');
      };
      void store()
        .catch((error: unknown) => showToast('error', `Failed to save comment: ${messageOf(error)}`))
        .finally(() => {
          underWay.current.delete(trade_id);
          setSaving(new Set(underWay.current));
        });
    },
    [botId, drafts, queryClient],
  );
  return useMemo(() => ({ drafts, saving, type, save }), [drafts, saving, type, save]);
}
