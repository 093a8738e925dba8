import { useCallback, useEffect, useState } from "react";
import { fetchMe, forgetMe, type Me, mayBeMember } from "@/lib/me";

export interface Member {
  /** Signed in, or very probably so while the server is being asked. */
  isMember: boolean;
  /** The account's address, once it is known. */
  email: string | null;
  /** Asks again, after an order that may have signed somebody in. Null: the server did not answer. */
  refresh: () => Promise<Me | null>;
}

export function useMember(): Member {
  const [me, setMe] = useState<Me | null>(null);
  const [isAsking, setIsAsking] = useState(mayBeMember);

  const ask = useCallback(async () => {
    try {
      const found = await fetchMe();
      setMe(found);
      return found;
    } catch {
      // Who can't be recognised may still order; the order's own answer says what is wrong.
      return null;
    } finally {
      setIsAsking(false);
    }
  }, []);
  useEffect(() => void ask(), [ask]);
  const refresh = useCallback(() => {
    forgetMe();
    return ask();
  }, [ask]);

  return { isMember: me?.authenticated ?? isAsking, email: me?.email ?? null, refresh };
}
