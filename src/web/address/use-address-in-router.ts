import { useLayoutEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { addressStore, readAddress, writeAddress } from './address.ts';
import { takeReturnAddress } from './return-address.ts';

/** Ties the address store to the router while the dashboard is open: Back, Forward and links reach the store, choices the router. */
export function useAddressInRouter(): void {
  const { search } = useLocation();
  const navigate = useNavigate();

  // Before anything is drawn, so that nobody sees a choice that the address does not name.
  useLayoutEffect(() => {
    addressStore.setState({ navigate: (next, how) => void navigate({ search: next }, { replace: how === 'replace' }) });
    return () => addressStore.setState({ navigate: null });
  }, [navigate]);

  useLayoutEffect(() => {
    followAddress(search);
  }, [search]);

  // Who goes back before the router has drawn the choice is where the router still is: for it nothing has changed. The browser's own address is right at once.
  useLayoutEffect(() => {
    const follow = (): void => followAddress(window.location.search);
    window.addEventListener('popstate', follow);
    return () => window.removeEventListener('popstate', follow);
  }, []);

  // Whoever was sent to sign in on the way to a linked place arrives there now.
  useLayoutEffect(() => {
    const wanted = takeReturnAddress();
    if (wanted !== null) {
      addressStore.setState({ values: readAddress(wanted) });
      void navigate({ search: wanted }, { replace: true });
    }
    return () => addressStore.setState({ values: {} });
  }, [navigate]);
}

function followAddress(search: string): void {
  const values = readAddress(search);
  if (writeAddress(values) !== writeAddress(addressStore.getState().values)) addressStore.setState({ values });
}
