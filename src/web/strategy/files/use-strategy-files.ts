import type { CallReply } from '#contract/client.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { messageOf } from '../../api/api-error.ts';
import { heldData } from '../../api/outage.ts';
import { botDetailsKey, botsKey } from '../../api/query-keys.ts';
import { cancelledWords } from '../../live/cancelled-words.ts';
import { isAbort } from '../../live/until-aborted.ts';
import { useSending } from '../../live/use-sending.ts';
import { showToast } from '../../ui/toast.ts';

/** The files of the strategies' folder. */
export type StrategyFiles = CallReply<'listStrategyFiles'>;

/** One of them. */
export type StrategyFile = StrategyFiles['files'][number];

/** A strategy of a file. */
export type FileStrategy = StrategyFile['strategies'][number];

/** A bot that runs one. */
export type RunningBot = FileStrategy['bots'][number];

const filesKey = ['strategy-files'] as const;

/** How often the files are loaded again, in ms: whoever writes one wants to see what came of it. */
const pollMs = 5_000;

/** The files, and taking a newer version. */
export interface FilesState {
  files: StrategyFiles | undefined; // undefined while not loaded, or when that failed
  isLoading: boolean;
  error: string | null;
  busyBot: string | null; // the id of the bot that takes a version
  reload: () => void;
  take: (bot: RunningBot, strategy: FileStrategy) => Promise<void>;
  cancelTake: () => void; // nothing more of it goes out
}

/** Loads the files of the strategies' folder, and has bots take newer versions. */
export function useStrategyFiles(): FilesState {
  const queryClient = useQueryClient();
  const [busyBot, setBusyBot] = useState<string | null>(null);
  const sending = useSending();
  const query = useQuery({
    queryKey: filesKey,
    queryFn: ({ signal }) => api.listStrategyFiles({}, { signal }),
    refetchInterval: pollMs,
    meta: { what: 'strategy files' },
  });
  return {
    files: heldData(query),
    isLoading: query.isFetching,
    error: query.isError ? messageOf(query.error) : null,
    busyBot,
    reload: () => void query.refetch(),
    async take({ id, nickname, mode }, { version }) {
      setBusyBot(id);
      try {
        await sending.send((signal) => api.takeVersion({ params: { id }, query: { mode }, body: { version } }, { signal }));
        showToast('success', `${nickname} runs version ${version} from the next candle on`);
      } catch (error) {
        const words = isAbort(error)
          ? cancelledWords(`The change of ${nickname} to version ${version}`)
          : `${nickname} did not take version ${version}: ${messageOf(error)}`;
        showToast('error', words);
      } finally {
        await queryClient.refetchQueries({ queryKey: filesKey });
        void queryClient.invalidateQueries({ queryKey: botsKey });
        void queryClient.invalidateQueries({ queryKey: botDetailsKey(id) });
        setBusyBot(null);
      }
    },
    cancelTake: () => void sending.cancel(),
  };
}

/** The version of a strategy, loaded when it is looked at; versions never change. */
export function useStrategyCode(strategyId: string, version: number) {
  return useQuery({
    queryKey: ['strategy-code', strategyId, version],
    queryFn: ({ signal }) => api.strategyCode({ params: { id: strategyId, version } }, { signal }),
    enabled: version > 0,
    staleTime: Infinity,
    meta: { what: 'a version of a strategy' },
  });
}
