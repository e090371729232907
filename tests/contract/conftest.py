"""One client a test, in a namespace of its own."""

import pytest

from tests.contract.client import ContractClient
from tests.servers.product import Product


@pytest.fixture(scope="session")
def contract_key(stack: Product) -> str:
    return stack.new_key(slug="contract")


@pytest.fixture
def client(stack: Product, contract_key: str) -> ContractClient:
    return ContractClient(stack, contract_key)
