import "./cart-sync";
import { fetchMe, mayBeMember } from "@/lib/me";

/**
 * `<member-link><a href="/auth">…</a><a href="/espace-membre" data-member hidden>…</a></member-link>`
 *
 * Shows the links and sentences marked `data-member` instead of the others to whoever is signed in, and those marked
 * `data-role="admin staff"` to who has one of these roles besides. Without the `member` cookie nothing is asked of the server.
 */
class MemberLinkElement extends HTMLElement {
  connectedCallback(): void {
    if (!mayBeMember()) return;
    this.show(true, []);
    fetchMe().then(
      (me) => {
        this.show(me.authenticated, me.roles);
        const head = document.querySelector<HTMLElement>("[data-product]");
        if (head && me.roles.includes("admin")) {
          void import("./edit-in-place").then(({ offerEditing }) => offerEditing(head));
        }
        const article = this.querySelector<HTMLAnchorElement>("[data-article]");
        if (article && me.roles.includes("admin")) {
          void import("./edit-in-place").then(({ editArticleInPlace }) => editArticleInPlace(article));
        }
      },
      // No answer: the cookie's hint counts, and the member area checks for itself.
      () => {},
    );
  }

  show(isMember: boolean, roles: string[]): void {
    for (const link of this.querySelectorAll<HTMLElement>("a, p")) {
      const { member, role } = link.dataset;
      link.hidden = role
        ? !role.split(" ").some((one) => roles.includes(one))
        : (member !== undefined) !== isMember;
    }
  }
}

customElements.define("member-link", MemberLinkElement);

// Who signed out in another tab took the cookie with them.
document.addEventListener("visibilitychange", () => {
  if (mayBeMember()) return;
  for (const links of document.querySelectorAll<MemberLinkElement>("member-link")) links.show(false, []);
});
