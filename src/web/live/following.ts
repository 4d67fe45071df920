import { createStore, useStore } from 'zustand';

/** Whether the server sends what has changed by itself; what it sends is not asked for meanwhile. */
export const followingStore = createStore<{ isFollowing: boolean }>(() => ({ isFollowing: false }));

/** See `followingStore`. */
export function useIsFollowing(): boolean {
  return useStore(followingStore, ({ isFollowing }) => isFollowing);
}
