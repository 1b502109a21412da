from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.settings import Settings
from arena.web.api.validation import Schemas
from arena.web.app import create_app
from tests import apps
from tests.web.fakes import ADMIN, ALICE, FakeClock, FakeReferee
from tests.web.watchdog import Watchdog


@pytest.fixture(scope="session")
def schemas() -> Schemas:
    return apps.schemas()


@pytest.fixture(scope="package", autouse=True)
def _made_once() -> Iterator[None]:
    with apps.made_once():
        yield


@pytest.fixture
def watchdog(schemas: Schemas) -> Iterator[Watchdog]:
    created = Watchdog(schemas)
    yield created
    assert created.complaints == []


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def referee(clock: FakeClock) -> FakeReferee:
    return FakeReferee(clock)


@pytest.fixture
def app(referee: FakeReferee, clock: FakeClock, watchdog: Watchdog) -> Flask:
    settings = Settings(requests_per_s=10, request_burst=100, max_turns=4, access_log=True)
    app = create_app(referee, settings, monotonic=clock)
    watchdog.watch(app)
    return app


@pytest.fixture
def anybody(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def alice(app: Flask) -> FlaskClient:
    return with_token(app, ALICE)


@pytest.fixture
def admin(app: Flask) -> FlaskClient:
    return with_token(app, ADMIN)


def with_token(app: Flask, token: str) -> FlaskClient:
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return client
