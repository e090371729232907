"""A signed-in reader of the running product: cookies and forms, as a browser has them."""

import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from tests.servers.product import Answer, Product

_TOKEN: Final = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Shows redirects as they are."""

    def redirect_request(self, *_arguments: object) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Session:
    """Requests that carry the cookies that earlier answers have set."""

    base_url: str
    opener: urllib.request.OpenerDirector

    @classmethod
    def of_demo(cls, product: Product, role: str) -> "Session":
        """Signed in to the demo by the button of this role."""
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(), _NoRedirect()
        )
        session = cls(product.base_url, opener)
        entered = session.post("/accounts/sign-in/demo/", page="/accounts/sign-in/", role=role)
        assert entered.status == 302, entered
        return session

    def get(self, path: str) -> Answer:
        return self._answer(urllib.request.Request(self.base_url + path))

    def post(self, path: str, *, page: str, **fields: str) -> Answer:
        """Send the form that `page` holds to `path`."""
        found = _TOKEN.search(self.get(page).body.decode())
        assert found is not None, page
        body = urlencode({"csrfmiddlewaretoken": found[1], **fields}).encode()
        headers = {"Referer": self.base_url + page}
        return self._answer(urllib.request.Request(self.base_url + path, body, headers))

    def _answer(self, request: urllib.request.Request) -> Answer:
        try:
            with self.opener.open(request, timeout=60) as response:
                return Answer(response.status, dict(response.headers), response.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, dict(error.headers), error.read())
