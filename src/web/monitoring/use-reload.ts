import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/**
 * Loads a query again when what it holds is of another version than the one that is wanted: once for each wanted version, so
 * that two answers which never agree do not load for ever.
 */
export function useReload(
  query: Pick<UseQueryResult<unknown, unknown>, 'refetch'>,
  wanted: string | undefined,
  held: string | undefined,
): void {
  const asked = useRef<string | undefined>(undefined);
  const { refetch } = query;
  useEffect(() => {
    if (wanted === undefined || held === undefined || wanted === held || asked.current === wanted) return;
    asked.current = wanted;
    void refetch({ cancelRefetch: true });
  }, [wanted, held, refetch]);
}
