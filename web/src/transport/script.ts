// Addresses of scripts. The page's policy allows none that does not come through
// here: only its own worker and service worker are.

interface Policy {
	createScriptURL(text: string): unknown;
}

interface Policies {
	createPolicy(name: string, rules: { createScriptURL(text: string): string }): Policy;
}

const known = ["engine/worker.mjs", "service.js"];

let policy: Policy | undefined;

/** Returns the address of a script beside the page, as the browser wants it. */
export function scriptAddress(name: string): unknown {
	if (!policy) {
		const rules = {
			createScriptURL: (text: string): string => {
				if (!known.includes(text)) {
					throw new TypeError(`no script of the page: ${text}`);
				}
				return new URL(text, document.baseURI).href;
			},
		};
		const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes;
		policy = policies ? policies.createPolicy("tabula", rules) : rules;
	}
	return policy.createScriptURL(name);
}
