import type { CallReply } from '#contract/client.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { messageOf } from '../../api/api-error.ts';
import { heldData } from '../../api/outage.ts';
import { botDetailsKey, botsKey } from '../../api/query-keys.ts';
import { useSending } from '../../live/use-sending.ts';

/** A strategy of rules as the server lists it. */
export type RuleStrategy = CallReply<'listRules'>['rules'][number];

/** A bot that uses one. */
export type UsingBot = RuleStrategy['bots'][number];

const rulesKey = ['rules'] as const;

/** The strategies of rules, and what can be done with them. Each of the latter fails: ApiError; taking a version with an abort, too. */
export interface RulesState {
  rules: readonly RuleStrategy[] | undefined; // undefined while not loaded, or when that failed
  isLoading: boolean;
  error: string | null;
  reload: () => Promise<void>;
  make: (document: RulesDocument) => Promise<RuleStrategy>;
  save: (id: string, document: RulesDocument, basedOn: number) => Promise<RuleStrategy>;
  share: (id: string, isShared: boolean) => Promise<RuleStrategy>;
  remove: (id: string) => Promise<void>;
  take: (bot: UsingBot, version: number) => Promise<void>;
  cancelTake: () => void; // nothing more of it goes out
}

/** Loads the strategies of rules that the person may see, and changes them. */
export function useRules(): RulesState {
  const queryClient = useQueryClient();
  const sending = useSending();
  const query = useQuery({
    queryKey: rulesKey,
    queryFn: async ({ signal }) => (await api.listRules({}, { signal })).rules,
    meta: { what: 'rules' },
  });
  /** Changes the list; an answer under way may be older, and one that has not come is asked for again. */
  const listed = async (change: (before: readonly RuleStrategy[]) => readonly RuleStrategy[]): Promise<void> => {
    await queryClient.cancelQueries({ queryKey: rulesKey });
    const before = queryClient.getQueryData<readonly RuleStrategy[]>(rulesKey);
    if (before === undefined) void query.refetch();
    else queryClient.setQueryData(rulesKey, change(before));
  };
  /** Puts what a call answered into the list, and has those lists loaded again that name strategies. */
  const noted = async (changed: RuleStrategy): Promise<RuleStrategy> => {
    await listed((before) =>
      before.some(({ id }) => id === changed.id) ? before.map((each) => (each.id === changed.id ? changed : each)) : [changed, ...before],
    );
    void queryClient.invalidateQueries({ queryKey: ['rule-versions', changed.id] });
    void queryClient.invalidateQueries({ queryKey: ['strategies'] });
    return changed;
  };
  return {
    rules: heldData(query),
    isLoading: query.isFetching,
    error: query.isError ? messageOf(query.error) : null,
    reload: async () => void (await query.refetch()),
    make: async (document) => noted(await api.makeRules({ body: { document } })),
    save: async (id, document, basedOn) => noted(await api.saveRules({ params: { id }, body: { document, based_on: basedOn } })),
    share: async (id, isShared) => noted(await api.shareRules({ params: { id }, body: { is_shared: isShared } })),
    async remove(id) {
      await api.removeRules({ params: { id }, body: {} });
      await listed((before) => before.filter((each) => each.id !== id));
      void queryClient.invalidateQueries({ queryKey: ['strategies'] });
    },
    async take(bot, version) {
      try {
        await sending.send((signal) =>
          api.takeVersion({ params: { id: bot.id }, query: { mode: bot.mode }, body: { version } }, { signal }),
        );
      } finally {
        void queryClient.invalidateQueries({ queryKey: botsKey });
        void queryClient.invalidateQueries({ queryKey: botDetailsKey(bot.id) });
        await query.refetch();
      }
    },
    cancelTake: () => void sending.cancel(),
  };
}

/** The versions of a strategy of rules, newest first, loaded when they are looked at. */
export function useRuleVersions(id: string, isWanted: boolean) {
  return useQuery({
    queryKey: ['rule-versions', id],
    queryFn: async ({ signal }) => (await api.listRuleVersions({ params: { id } }, { signal })).versions,
    enabled: isWanted,
    meta: { what: 'versions of rules' },
  });
}

/** One version, for a bot that runs it or a draft that began with it; versions never change. */
export function useRuleVersion(id: string, version: number | null) {
  return useQuery({
    queryKey: ['rule-version', id, version],
    queryFn: ({ signal }) => api.ruleVersion({ params: { id, version: version ?? 0 } }, { signal }),
    enabled: version !== null,
    staleTime: Infinity,
    meta: { what: 'a version of rules' },
  });
}
